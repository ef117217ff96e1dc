package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// maxExpanded is the most bytes that the strings of a page may have together, if they share prefixes.
const maxExpanded = scan.MaxPage

// runSlack is how many values more than a page announces its runs may have: the padding of the last one.
const runSlack = 512

// dataPage is a decompressed data page before it is decoded.
type dataPage struct {
	leaf     *leaf
	values   int // with nulls
	present  int // once the levels are checked: values that are not null
	encoding format.Encoding
	levels   format.Encoding          // of the definition levels of a V1 page
	v2       *format.DataPageHeaderV2 // nil: V1
	body     []byte
	data     []byte // what follows the levels, of differences of integers of 32 bits
	wide     bool   // a first value or difference in data has more than 32 bits
}

// check checks the lengths that a page's bytes say, since the library allocates what they say, and that the bytes hold
// the values that are present, since the library takes what its memory held before if they do not.
func (p *dataPage) check() error {
	data, present, err := p.checkLevels()
	if err != nil {
		return err
	}
	p.present = present
	held, exact := 0, true
	if len(data) > 0 { // else all rows are null
		held, exact, err = p.checkValues(data, present)
	}
	switch {
	case err != nil:
		return err
	case held < present:
		return short()
	case exact && held > present:
		return scan.Fault(scan.CodeDamaged, "a page has more values than it announces")
	}
	return nil
}

// checkValues returns how many values the bytes hold. exact: it must be as many as are present, else more will do: runs
// may be padded.
func (p *dataPage) checkValues(data []byte, present int) (held int, exact bool, err error) {
	l := p.leaf.physical
	bytes := l == format.ByteArray
	switch e := p.encoding; {
	case isCodes(e):
		held, err = p.runs(data[1:], uint(data[0]))
		return held, false, err
	case e == format.RLE && l == format.Boolean:
		held, err = p.sizedRuns(data)
		return held, false, err
	case e == format.Plain && bytes:
		held, err = plainStrings(data)
	case e == format.Plain, e == format.ByteStreamSplit && !bytes && l != format.Boolean && l != format.Int96:
		held, err = p.plain(data, present)
	case e == format.DeltaBinaryPacked && l == format.Int64:
		held, _, err = p.deltas(data, 64)
	case e == format.DeltaBinaryPacked && l == format.Int32:
		held, _, err = p.deltas(data, 64)
		p.data = data
	case e == format.DeltaLengthByteArray && bytes:
		held, _, err = p.deltas(data, 32)
	case e == format.DeltaByteArray && (bytes || l == format.FixedLenByteArray):
		held, err = p.prefixes(data)
	default:
		err = unknownEncoding()
	}
	return held, true, err
}

// prefix reads a length of four bytes that must be within the bytes after it.
func (p *dataPage) prefix(b []byte) (int, error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return 0, short()
	}
	return int(binary.LittleEndian.Uint32(b)), nil
}

func (p *dataPage) sizedRuns(b []byte) (int, error) {
	n, err := p.prefix(b)
	if err != nil {
		return 0, err
	}
	return p.runs(b[4:4+n], 1)
}

// runs counts the values in a mix of runs and bit-packed groups. Source: parquet-format, Encodings.md, "RLE = 3".
func (p *dataPage) runs(b []byte, width uint) (int, error) {
	limit := uint64(p.values + runSlack)
	total := uint64(0)
	if width > 32 {
		return 0, scan.Fault(scan.CodeDamaged, "a page has codes of more than 32 bits")
	}
	for len(b) > 0 && total <= limit {
		head, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, short()
		}
		count, size := head>>1, uint64(width+7)/8
		switch {
		case count == 0: // the library takes no number after it
			size = 0
		case head&1 == 1:
			size = min(count, limit) * uint64(width)
			count = min(count, limit) * 8
		}
		b = b[n:]
		if size > uint64(len(b)) {
			return 0, short()
		}
		b = b[size:]
		total += min(count, limit+1)
	}
	if total > limit {
		return 0, scan.Fault(scan.CodeDamaged, "a page has more values than it announces")
	}
	return int(total), nil
}

// prefixes checks that strings that share prefixes with the one before do not expand to more than a page may have.
func (p *dataPage) prefixes(b []byte) (int, error) {
	n, rest, err := p.deltas(b, 32)
	if err != nil {
		return 0, err
	}
	if suffixes, _, err := p.deltas(rest, 32); err != nil || suffixes != n {
		return 0, short()
	}
	shared, err := (&delta.BinaryPackedEncoding{}).DecodeInt32(nil, b)
	if err != nil || len(shared) < n {
		return 0, short()
	}
	total := int64(len(b))
	for _, s := range shared {
		if total += int64(s); s < 0 || total > maxExpanded {
			return 0, scan.Fault(scan.CodeTooLarge, "a page's strings are longer than 2 GiB together")
		}
	}
	return n, nil
}

// plainStrings counts PLAIN byte arrays, each with its length of four bytes before it.
func plainStrings(b []byte) (n int, err error) {
	for len(b) > 0 {
		if len(b) < 4 {
			return 0, short()
		}
		size := uint64(binary.LittleEndian.Uint32(b)) + 4
		if size > uint64(len(b)) {
			return 0, short()
		}
		b = b[size:]
		n++
	}
	return n, nil
}

// plain counts values of fixed width, which must fill the bytes.
func (p *dataPage) plain(b []byte, present int) (int, error) {
	held, width := plainValues(p.leaf, b), p.leaf.bits()
	if p.leaf.physical == format.Boolean && held/8 == (present+7)/8 {
		held = present // the last byte is padded
	}
	if width >= 8 && len(b)*8%width != 0 {
		return 0, scan.Fault(scan.CodeDamaged, "a page ends within a value")
	}
	return held, nil
}

// plainValues returns how many plain values of a leaf so many bytes are; of byte arrays, at most.
func plainValues(l *leaf, b []byte) int { return len(b) * 8 / l.bits() }

// bits returns how long a plain value is; of byte arrays, at least.
func (l *leaf) bits() int {
	switch l.physical {
	case format.Boolean:
		return 1
	case format.Int96:
		return 96
	case format.Int64, format.Double:
		return 64
	case format.FixedLenByteArray:
		return 8 * l.width
	}
	return 32
}

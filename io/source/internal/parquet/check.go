package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// Before the library decodes a page's values, the lengths in them are checked: the library allocates what they say, and a few flipped bits
// can say gigabytes. The values that the bytes hold are counted, since the library decodes what is there, be it more or less than the page
// announces.

// maxExpanded is the most bytes that the strings of a page may have together, if they share prefixes.
const maxExpanded = scan.MaxPage

// runSlack is how many values more than a page announces its runs may have: the padding of the last one.
const runSlack = 512

// check checks that data holds the values that are present.
func (p *dataPage) check(data []byte, present int) error {
	if !p.known() {
		return unknownEncoding()
	}
	if len(data) == 0 { // all rows are null, or there is none
		if present > 0 {
			return short()
		}
		return nil
	}
	held, exact, err := p.count(data, present)
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

// known says whether values of the page's type are read in its encoding.
func (p *dataPage) known() bool {
	switch l := p.leaf.physical; p.encoding {
	case format.RLEDictionary, plainDictionary, format.Plain:
		return true
	case format.RLE:
		return l == format.Boolean
	case format.ByteStreamSplit:
		return l != format.Boolean && l != format.Int96 && l != format.ByteArray
	case format.DeltaBinaryPacked:
		return l == format.Int32 || l == format.Int64
	case format.DeltaLengthByteArray:
		return l == format.ByteArray
	case format.DeltaByteArray:
		return l == format.ByteArray || l == format.FixedLenByteArray
	}
	return false
}

// count returns how many values the bytes hold. If exact is set, it must be as many as are present; else more will do, since runs may be
// padded.
func (p *dataPage) count(data []byte, present int) (held int, exact bool, err error) {
	switch p.encoding {
	case format.RLEDictionary, plainDictionary:
		held, err = countRuns(data[1:], uint(data[0]), p.values)
		return held, false, err
	case format.RLE:
		n, err := lengthPrefix(data)
		if err == nil {
			held, err = countRuns(data[4:4+n], 1, p.values)
		}
		return held, false, err
	case format.DeltaBinaryPacked:
		held, _, err = countDeltas(data, 64, p.values) // of 32 bits too: some writers do not wrap differences
	case format.DeltaLengthByteArray:
		held, _, err = countDeltas(data, 32, p.values)
	case format.DeltaByteArray:
		held, err = countPrefixed(data, p.values)
	default:
		held, err = p.leaf.countPlain(data, present)
	}
	return held, true, err
}

// countRuns counts numbers of so many bits in a mix of runs and bit-packed groups, of which a page announces some.
// Source: parquet-format, Encodings.md, "RLE = 3".
func countRuns(b []byte, width uint, announced int) (int, error) {
	limit := uint64(announced + runSlack)
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

// countPlain counts plain values, which must fill the bytes.
func (l *leaf) countPlain(b []byte, present int) (int, error) {
	if l.physical == format.ByteArray {
		return countStrings(b)
	}
	held, width := len(b)*8/l.bits(), l.bits()
	if l.physical == format.Boolean && held/8 == (present+7)/8 {
		held = present // the last byte is padded
	}
	if width >= 8 && len(b)*8%width != 0 {
		return 0, scan.Fault(scan.CodeDamaged, "a page ends within a value")
	}
	return held, nil
}

// countStrings counts plain strings, each with its length of four bytes before it.
func countStrings(b []byte) (n int, err error) {
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

func undecodedDeltas() error {
	return scan.Fault(scan.CodeDamaged, "a page's differences cannot be decoded")
}

// countDeltas counts differences of at most so many bits, of which a page announces some values, and returns what comes after them.
// Source: parquet-format, Encodings.md, "DELTA_BINARY_PACKED = 5".
func countDeltas(b []byte, most byte, announced int) (values int, rest []byte, err error) {
	var head [4]uint64 // values a block, miniblocks a block, values, the first value
	for i := range head {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, nil, short()
		}
		head[i], b = v, b[n:]
	}
	size, minis := head[0], head[1]
	if size == 0 || size > 1<<16 || size%128 != 0 || minis == 0 || size%minis != 0 || size/minis%32 != 0 || head[2] > uint64(announced) {
		return 0, nil, undecodedDeltas()
	}
	for left := int(head[2]) - 1; left > 0; {
		_, n := binary.Uvarint(b)
		if n <= 0 || len(b)-n < int(minis) {
			return 0, nil, short()
		}
		widths := b[n : n+int(minis)]
		b = b[n+int(minis):]
		for _, w := range widths {
			if left <= 0 { // miniblocks without values have no bytes
				break
			}
			length := int(size/minis) / 8 * int(w)
			switch {
			case w > most:
				return 0, nil, undecodedDeltas()
			case length > len(b):
				return 0, nil, short()
			}
			b = b[length:]
			left -= int(size / minis)
		}
	}
	return int(head[2]), b, nil
}

// countPrefixed counts strings that share prefixes with the one before. They may not expand to more than a page may have.
func countPrefixed(b []byte, announced int) (int, error) {
	n, rest, err := countDeltas(b, 32, announced)
	if err != nil {
		return 0, err
	}
	if suffixes, _, err := countDeltas(rest, 32, announced); err != nil || suffixes != n {
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

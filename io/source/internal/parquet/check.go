package parquet

import (
	"bytes"
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
)

// The library allocates memory for the lengths that a page states, and a few flipped bits can state gigabytes. So all
// lengths are checked before the library decodes values. The library also decodes all values in the bytes, even if the
// page announces fewer or more, so the values are counted first.

// check returns an error unless data holds present values, the number of values that are not null.
func (p *dataPage) check(data []byte, present int) error {
	if !p.hasKnownEncoding() {
		return unknownEncoding()
	}
	if len(data) == 0 { // all rows are null, or there are no rows
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
		return fault.New(fault.CodeDamaged, "a page has more values than it announces")
	}
	return nil
}

// paddingOfPages is how many zero bytes fastparquet writes after the values of each page of version 1.
const paddingOfPages = 8

// withoutPadding returns data without the zero bytes that fastparquet writes after plain values. It returns data as it
// is if what comes before such bytes is not present values.
func (p *dataPage) withoutPadding(data []byte, present int) []byte {
	n := len(data) - paddingOfPages
	if p.v1 == nil || p.encoding != format.Plain || n < 0 || !bytes.Equal(data[n:], make([]byte, paddingOfPages)) {
		return data
	}
	if held, err := p.leaf.countPlain(data[:n], present); err != nil || held != present {
		return data
	}
	return data[:n]
}

// hasKnownEncoding reports whether this package can decode values of the page's type in the page's encoding.
func (p *dataPage) hasKnownEncoding() bool {
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

// count returns the number of values in data. If exact is set, this number must equal present. Otherwise it may be
// larger, since the last run may be padded.
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
		// Differences have up to 64 bits, also those of 32-bit integers: some writers compute them in 64 bits.
		held, _, err = countDeltas(data, 64, p.values)
	case format.DeltaLengthByteArray:
		held, _, err = countDeltas(data, 32, p.values)
	case format.DeltaByteArray:
		held, err = countPrefixed(data, p.values)
	default:
		held, err = p.leaf.countPlain(data, present)
	}
	return held, true, err
}

// countPlain counts plain values: values that are stored one after another. It returns an error if the last one is not
// whole.
func (l *leaf) countPlain(b []byte, present int) (int, error) {
	if l.physical == format.ByteArray {
		return countStrings(b)
	}
	held, width := len(b)*8/l.bits(), l.bits()
	if l.physical == format.Boolean && held/8 == (present+7)/8 {
		held = present // eight booleans a byte; the last byte is padded
	}
	if width >= 8 && len(b)*8%width != 0 {
		return 0, fault.New(fault.CodeDamaged, "a page ends within a value")
	}
	return held, nil
}

// countStrings counts plain strings. Four bytes before each string hold its length.
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

// bits returns the length of a plain value in bits; for a byte array, the minimal length.
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

// countPrefixed counts strings that are stored without the prefix that they share with the string before. First come
// the lengths of all prefixes, then the rest.
func countPrefixed(b []byte, announced int) (int, error) {
	n, rest, err := countDeltas(b, 32, announced)
	if err != nil {
		return 0, err
	}
	if suffixes, _, err := countDeltas(rest, 32, announced); err != nil || suffixes != n {
		return 0, short()
	}
	return n, nil
}

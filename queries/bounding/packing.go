package bounding

import (
	"encoding/binary"
	"math/bits"
)

// Packed contents
//
// Queries and digests hold each number of a row's content in four or eight bytes, big-endian. Most cells are below 256
// and most values below 2^40, so a record stores each number in as many bytes as its public range needs. If the range
// has negative numbers, the sign is the last bit (zigzag): 0, -1, 1, -2, 2, … become 0, 1, 2, 3, 4, …. A query in which
// the row does not count has zeros, which stay zeros.

const shortBytes = 4 // the length of the shorter numbers, in bytes

// Field describes some bytes of a content. If Bytes is four or eight, they hold a big-endian number from Min to Max. A
// field of another length holds arbitrary bytes.
type Field struct {
	Bytes    int
	Min, Max int64
}

// packing converts a content between the form that queries use and the packed form in records.
type packing struct {
	fields       []packedField
	Size, Packed int // length in bytes: of a content, and of a packed content
}

// packedField is a field: bytes from+0 to from+bytes-1 of the content are kept bytes from at on in the packed content.
type packedField struct {
	from, bytes int
	at, kept    int
	signed      bool
}

// code returns the packed form of a number.
func (f *packedField) code(x int64) uint64 {
	if f.signed {
		return uint64(x)<<1 ^ uint64(x>>63)
	}
	return uint64(x)
}

// decode returns the inverse of code.
func (f *packedField) decode(x uint64) int64 {
	if f.signed {
		return int64(x>>1) ^ -int64(x&1)
	}
	return int64(x)
}

// add appends fields.
func (p *packing) add(fields []Field) {
	for _, f := range fields {
		packed := packedField{from: p.Size, bytes: f.Bytes, at: p.Packed, kept: f.Bytes, signed: f.Min < 0}
		if f.isNumber() {
			most := max(packed.code(f.Min), packed.code(f.Max))
			packed.kept = min((bits.Len64(most)+7)/8, f.Bytes)
		}
		p.fields = append(p.fields, packed)
		p.Size, p.Packed = p.Size+f.Bytes, p.Packed+packed.kept
	}
}

// join appends the fields of another packing.
func (p *packing) join(o *packing) {
	for _, f := range o.fields {
		f.from, f.at = p.Size+f.from, p.Packed+f.at
		p.fields = append(p.fields, f)
	}
	p.Size, p.Packed = p.Size+o.Size, p.Packed+o.Packed
}

func (f Field) isNumber() bool { return f.Bytes == shortBytes || f.Bytes == 8 }

// pack writes a content in the form of records, and returns false if a number is out of its range.
func (p *packing) pack(dst, content []byte) bool {
	rest := uint64(0)
	for i := range p.fields {
		f := &p.fields[i]
		var x uint64
		switch f.bytes {
		case shortBytes:
			x = f.code(int64(int32(binary.BigEndian.Uint32(content[f.from:]))))
		case 8:
			x = f.code(int64(binary.BigEndian.Uint64(content[f.from:])))
		default:
			copy(dst[f.at:f.at+f.kept], content[f.from:])
			continue
		}
		rest |= putLow(dst[f.at:f.at+f.kept], x)
	}
	return rest == 0
}

// putLow writes the low bytes of a number, big-endian, and returns the remaining high part.
func putLow(dst []byte, x uint64) (rest uint64) {
	if len(dst) == 1 {
		dst[0] = byte(x)
		return x >> 8
	}
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte(x)
		x >>= 8
	}
	return x
}

// unpack writes the content of a record.
func (p *packing) unpack(dst, packed []byte) {
	for i := range p.fields {
		f := &p.fields[i]
		from := packed[f.at : f.at+f.kept]
		switch f.bytes {
		case shortBytes:
			binary.BigEndian.PutUint32(dst[f.from:], uint32(f.decode(low(from))))
		case 8:
			binary.BigEndian.PutUint64(dst[f.from:], uint64(f.decode(low(from))))
		default:
			copy(dst[f.from:], from)
		}
	}
}

// low reads bytes that putLow wrote.
func low(from []byte) uint64 {
	x := uint64(0)
	for _, b := range from {
		x = x<<8 | uint64(b)
	}
	return x
}

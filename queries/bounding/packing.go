package bounding

import (
	"encoding/binary"
	"math/bits"
)

// Packed contents
//
// A row's content is a list of numbers: its cell and the components of its value. In the unpacked form, which queries
// and digests use, a number has four or eight bytes, big-endian. Records in memory hold the packed form: each number
// has only as many bytes as its public range [Min, Max] needs. If the range has negative numbers, the sign becomes the
// last bit (zigzag): 0, -1, 1, -2, 2, … become 0, 1, 2, 3, 4, …. If several queries share records, a query in which the
// row does not count has zeros, which packing leaves zeros.

const shortBytes = 4 // the length of a cell number in bytes; other numbers have 8

// Field describes consecutive bytes of an unpacked content. If Bytes is four or eight, they are a big-endian number
// from Min to Max. A field of another length holds arbitrary bytes, which are packed unchanged.
type Field struct {
	Bytes    int
	Min, Max int64
}

// packing converts contents between the unpacked and the packed form.
type packing struct {
	fields       []packedField
	Size, Packed int // the length in bytes of an unpacked and of a packed content
}

// packedField is the position of a field in an unpacked and in a packed content.
type packedField struct {
	from, bytes int // in an unpacked content: the first byte and the number of bytes
	at, kept    int // the same in a packed content
	signed      bool
}

// code returns a number in zigzag form if the field is signed, else unchanged.
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

// pack writes the packed form of a content. It returns false if a number does not fit in the bytes for its range.
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

// unpack writes the unpacked form of a content.
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

// low reads a big-endian number, which putLow wrote.
func low(from []byte) uint64 {
	x := uint64(0)
	for _, b := range from {
		x = x<<8 | uint64(b)
	}
	return x
}

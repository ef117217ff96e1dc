package source

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// csvField is a field of a record: from and to are places in a text; to < from: the record has no such field.
type csvField struct {
	from, to int32
	doubled  bool // there are doubled quotes in it
}

// missing is the field that a record does not have.
var missing = csvField{from: 0, to: -1}

// csvLines finds the wanted fields of records that need no second look: without white space to trim, and whose quotes quote whole
// fields without quotes. It looks at eight bytes at once.
type csvLines struct {
	dialect *dialect
	wanted  []int // which fields, ascending
	commas  uint64
}

const (
	everyByte = 0x0101010101010101
	lowBits   = 0x7f7f7f7f7f7f7f7f
)

func newCSVLines(d *dialect, wanted []int) *csvLines {
	l := &csvLines{dialect: d, wanted: wanted, commas: everyByte * uint64(d.comma)}
	if len(wanted) == 0 {
		l.commas = everyByte * '\n'
	}
	return l
}

// marks has the highest bit set of each byte of w that is a line end, a quote or one of commas: a byte that is not 0 has, once 127 is
// added to its lower bits, a bit at the top, and nothing is carried into the next one.
func marks(w, commas uint64) uint64 {
	x, y, z := w^everyByte*'\n', w^everyByte*'"', w^commas
	return ^((x&lowBits+lowBits|x)&(y&lowBits+lowBits|y)&(z&lowBits+lowBits|z) | lowBits)
}

// split finds the record that starts at place at of b: of its wanted field i it sets fields[i*stride]. It returns where the next record
// starts; at: this record needs a second look, or more of the text.
func (l *csvLines) split(b []byte, at int, fields []csvField, stride int) int {
	if at+8 > len(b) || b[at] <= ' ' || b[at] == l.dialect.comment || l.dialect.TrimSpace {
		return at
	}
	i, mark := at, marks(binary.LittleEndian.Uint64(b[at:]), l.commas)
	commas, comma := l.commas, l.dialect.comma
	from, end := at, -1 // of the field; its end is known where it is quoted
	field, found := 0, 0
	for {
		for mark == 0 {
			if i += 8; i+8 > len(b) {
				return at
			}
			mark = marks(binary.LittleEndian.Uint64(b[i:]), commas)
		}
		p := i + bits.TrailingZeros64(mark)>>3
		mark &= mark - 1
		c := b[p]
		switch {
		case c != '"':
		case p > at && b[p-1] != comma:
			continue // within a field it is an ordinary character
		default:
			from = p + 1
			if end = l.closing(b, from); end < 0 {
				return at
			}
			i = end + 1
			mark = marks(binary.LittleEndian.Uint64(b[i:]), commas)
			continue
		}
		if found < len(l.wanted) {
			if field == l.wanted[found] {
				fields[found*stride] = l.field(b, from, end, p)
				if found++; found == len(l.wanted) {
					commas = everyByte * '\n' // the rest of the line matters no more
				}
			}
			field++
			from, end = p+1, -1
		}
		if c == '\n' {
			for ; found < len(l.wanted); found++ {
				fields[found*stride] = missing
			}
			return p + 1
		}
	}
}

// field returns the field from a place up to its closing quote, or where that is -1, up to the delimiter or line end at p.
func (l *csvLines) field(b []byte, from, closing, p int) csvField {
	to := closing
	if to < 0 {
		if to = p; b[p] == '\n' && to > from && b[to-1] == '\r' {
			to--
		}
	}
	return csvField{from: int32(from), to: int32(to)}
}

// closing returns the place of the quote that closes the field from place i on and that ends it; -1: it needs a second look.
func (l *csvLines) closing(b []byte, i int) int {
	quote := bytes.IndexByte(b[i:], '"')
	if end := i + quote; quote >= 0 && end+9 <= len(b) {
		if next := b[end+1]; next == l.dialect.comma || next == '\n' || next == '\r' && b[end+2] == '\n' {
			return end
		}
	}
	return -1
}

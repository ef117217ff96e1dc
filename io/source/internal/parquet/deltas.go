package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"

	"github.com/dprelease/dprelease/io/source/fault"
)

// deltas decodes integers that are coded as differences, in blocks. Differences of 0 bits take almost no bytes, so a
// few bytes can hold billions of them. They are decoded in pieces of whole blocks; the last integer of a piece is the
// first of the next. The caller must have called countDeltas for the bytes. Source: parquet-format, Encodings.md,
// "DELTA_BINARY_PACKED = 5".
type deltas struct {
	all         []byte // the header and all blocks
	b           []byte // the blocks that are left
	size, minis int
	left        int // the number of integers that are left
	begun       bool
	last        int64
	piece       []byte
	memory      *[]int64
}

// newDeltas returns a decoder of the integers at the start of b. It uses memory for the decoded integers.
func newDeltas(b []byte, memory *[]int64) deltas {
	d := deltas{all: b, memory: memory}
	var head [3]uint64
	for i := range head {
		v, n := binary.Uvarint(b)
		head[i], b = v, b[n:]
	}
	d.size, d.minis, d.left = int(head[0]), int(head[1]), int(head[2])
	first, n := binary.Varint(b)
	d.last, d.b = first, b[n:]
	return d
}

// Next decodes some integers: at least one if any is left, and at most maxPiece. They are valid until the next call of
// Next.
func (d *deltas) Next() ([]int64, error) {
	if d.left == 0 {
		return nil, nil
	}
	piece, skip, n := d.all, 0, d.left // all integers, with the first one
	if d.begun || d.left > maxPiece {
		if piece, n = d.cut(); d.begun {
			skip = 1
		}
	}
	out, err := parquet.DeltaBinaryPacked.DecodeInt64(*d.memory, piece)
	if err != nil || len(out) != n+skip {
		return nil, undecodable()
	}
	*d.memory, d.last = out, out[len(out)-1]
	d.begun, d.left = true, d.left-n
	return out[skip:], nil
}

// cut returns the next blocks as a sequence of its own, with a header, and the number of its integers.
func (d *deltas) cut() (piece []byte, n int) {
	differences := d.left
	if !d.begun {
		differences--
	}
	differences = min(differences, (maxPiece-1)/d.size*d.size)
	length, _ := blocksLength(d.b, d.size, d.minis, 64, differences)
	piece = d.piece[:0]
	for _, v := range []int{d.size, d.minis, differences + 1} {
		piece = binary.AppendUvarint(piece, uint64(v))
	}
	piece = append(binary.AppendVarint(piece, d.last), d.b[:length]...)
	d.piece, d.b = piece, d.b[length:]
	if n = differences; !d.begun {
		n++
	}
	return piece, n
}

// lengths decodes lengths of strings that are coded as differences, and returns one after the other.
type lengths struct {
	deltas deltas
	ahead  []int64 // lengths that were decoded but not returned yet
}

// newLengths returns a decoder of the lengths at the start of b. It uses memory for the decoded lengths.
func newLengths(b []byte, memory *[]int64) lengths { return lengths{deltas: newDeltas(b, memory)} }

// Next returns the next length. It is an error if there is none, or if the length is negative.
func (l *lengths) Next() (int, error) {
	if len(l.ahead) == 0 {
		var err error
		if l.ahead, err = l.deltas.Next(); err != nil {
			return 0, err
		}
		if len(l.ahead) == 0 {
			return 0, short()
		}
	}
	v := int32(l.ahead[0]) // 32-bit differences may overflow
	l.ahead = l.ahead[1:]
	if v < 0 {
		return 0, undecodable()
	}
	return int(v), nil
}

func undecodedDeltas() error {
	return fault.New(fault.CodeDamaged, "a page's differences cannot be decoded")
}

// sumLengths returns the sum of the lengths at the start of b; ok is false if one is negative. The caller must have
// called countDeltas for b.
func sumLengths(b []byte) (total int64, ok bool) {
	all, err := (&delta.BinaryPackedEncoding{}).DecodeInt32(nil, b)
	for _, n := range all {
		if total += int64(n); n < 0 {
			return 0, false
		}
	}
	return total, err == nil
}

// countDeltas counts the integers at the start of b, which are coded as differences of at most maxBits bits. announced
// is the number that the page states. It also returns the bytes after them. Source: parquet-format, Encodings.md,
// "DELTA_BINARY_PACKED = 5".
func countDeltas(b []byte, maxBits byte, announced int) (values int, rest []byte, err error) {
	var head [4]uint64 // values in a block, miniblocks in a block, number of values, first value
	for i := range head {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, nil, short()
		}
		head[i], b = v, b[n:]
	}
	size, minis := head[0], head[1]
	if size == 0 || size > 1<<16 || size%128 != 0 || minis == 0 || size%minis != 0 || size/minis%32 != 0 ||
		head[2] > uint64(announced) {
		return 0, nil, undecodedDeltas()
	}
	length, err := blocksLength(b, int(size), int(minis), maxBits, int(head[2])-1)
	if err != nil {
		return 0, nil, err
	}
	return int(head[2]), b[length:], nil
}

// blocksLength returns the length in bytes of the blocks that hold the given number of differences, of at most
// maxBits bits each.
func blocksLength(b []byte, size, minis int, maxBits byte, differences int) (int, error) {
	all := len(b)
	for left := differences; left > 0; {
		_, n := binary.Uvarint(b)
		if n <= 0 || len(b)-n < minis {
			return 0, short()
		}
		widths := b[n : n+minis]
		b = b[n+minis:]
		for _, w := range widths {
			if left <= 0 { // miniblocks without values have no bytes
				break
			}
			length := size / minis / 8 * int(w)
			switch {
			case w > maxBits:
				return 0, undecodedDeltas()
			case length > len(b):
				return 0, short()
			}
			b = b[length:]
			left -= size / minis
		}
	}
	return all - len(b), nil
}

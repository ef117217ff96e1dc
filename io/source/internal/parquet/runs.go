package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"

	"github.com/dprelease/dprelease/io/source/fault"
)

// This file decodes the encodings of Parquet in which a few bytes can hold any number of values: runs and differences.
//
// The library allocates memory for the lengths that the bytes state, and a few flipped bits can state gigabytes. So
// countRuns and countDeltas check the lengths first. And since valid bytes, too, can hold billions of values, runs and
// deltas give them to the library in pieces.

// Piece is the largest number of values of a page that are decoded at once.
const Piece = 1 << 20

// runSlack is the number of values that runs may hold beyond the number that their page announces: the last run may be
// padded.
const runSlack = 512

// Short returns the error for bytes that end before their values.
func Short() error { return fault.New(fault.CodeDamaged, "a page ends before its values do") }

// Undecodable returns the error for bytes that are not in their encoding.
func Undecodable() error { return fault.New(fault.CodeDamaged, "a page cannot be decoded") }

// runs decodes numbers in Parquet's mix of runs of equal numbers and bit-packed groups of eight. cut rewrites the next
// numbers as runs of their own, which the library decodes. The caller has called countRuns for the bytes. Source:
// parquet-format, Encodings.md, "RLE = 3".
type runs struct {
	b      []byte // the rest: it starts with the value or the groups of a run that was begun
	width  uint   // bits of a number
	left   int    // the rest of the current run, in numbers, or in groups if it is bit-packed
	packed bool
	skip   int // numbers of the first group that were taken
	begun  bool
	piece  []byte
}

// newRuns returns a decoder of numbers of width bits in b.
func newRuns(b []byte, width uint) runs { return runs{b: b, width: width} }

// cut returns the next n numbers, encoded, after skip others that the caller drops. all is set if the caller needs no
// further numbers of the runs.
func (r *runs) cut(head []byte, n int, all bool) (piece []byte, skip int) {
	if all && !r.begun && len(head) == 0 {
		return r.b, 0
	}
	r.piece = append(r.piece[:0], head...)
	piece, skip = r.piece, r.skip
	r.begun, r.skip = true, 0
	size := int(r.width+7) / 8
	for n += skip; n > 0 && (r.left > 0 || len(r.b) > 0); {
		switch {
		case r.left == 0:
			head, k := binary.Uvarint(r.b)
			r.left, r.packed, r.b = int(head>>1), head&1 == 1, r.b[k:]
		case r.packed:
			groups := min(r.left, (n+7)/8)
			piece = binary.AppendUvarint(piece, uint64(groups)<<1|1)
			piece = append(piece, r.b[:groups*int(r.width)]...)
			if n -= 8 * groups; n < 0 { // the next piece starts in the last group
				r.skip = 8 + n
				groups--
			}
			r.left, r.b = r.left-groups, r.b[groups*int(r.width):]
		default:
			count := min(r.left, n)
			piece = binary.AppendUvarint(piece, uint64(count)<<1)
			piece = append(piece, r.b[:size]...)
			n -= count
			if r.left -= count; r.left == 0 {
				r.b = r.b[size:]
			}
		}
	}
	r.piece = piece
	return piece, skip
}

// Octets decodes the next n numbers of at most 8 bits into the memory of dst, which it returns too.
func (r *runs) Octets(dst []byte, n int, all bool) (memory, numbers []byte, err error) {
	piece, skip := r.cut(nil, n, all)
	memory, err = (&rle.Encoding{BitWidth: int(r.width)}).DecodeLevels(dst, piece)
	if err != nil || len(memory)-skip < n {
		return dst, nil, Undecodable()
	}
	return memory, memory[skip : skip+n], nil
}

// Codes decodes the next n numbers of at most 32 bits into the memory of dst, which it returns too. page is the page's
// values, which begin with the width of codes.
func (r *runs) Codes(dst []int32, page []byte, n int, all bool) (memory, numbers []int32, err error) {
	piece, skip := page, 0
	if !all || r.begun {
		piece, skip = r.cut(page[:1], n, all)
	}
	memory, err = parquet.RLEDictionary.DecodeInt32(dst, piece)
	if err != nil || len(memory)-skip < n {
		return dst, nil, Undecodable()
	}
	return memory, memory[skip : skip+n], nil
}

// countRuns counts numbers of width bits in a mix of runs and bit-packed groups, of which a page announces some number.
// Source: parquet-format, Encodings.md, "RLE = 3".
func countRuns(b []byte, width uint, announced int) (int, error) {
	limit := uint64(announced + runSlack)
	total := uint64(0)
	if width > 32 {
		return 0, fault.New(fault.CodeDamaged, "a page has codes of more than 32 bits")
	}
	for len(b) > 0 && total <= limit {
		head, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, Short()
		}
		count, size := head>>1, uint64(width+7)/8
		switch {
		case count == 0: // the library reads no number after an empty run
			size = 0
		case head&1 == 1:
			size = min(count, limit) * uint64(width)
			count = min(count, limit) * 8
		}
		b = b[n:]
		if size > uint64(len(b)) {
			return 0, Short()
		}
		b = b[size:]
		total += min(count, limit+1)
	}
	if total > limit {
		return 0, fault.New(fault.CodeDamaged, "a page has more values than it announces")
	}
	return int(total), nil
}

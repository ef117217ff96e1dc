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
// countRuns and countDeltas check the lengths first. Valid bytes can also stand for billions of values, so runs and
// deltas decode them with the library in pieces.

// maxPiece is the maximum number of values of a page that are decoded at once.
const maxPiece = 1 << 20

// runSlack is how many values more than announced the runs of a page may hold, since the last run may be padded.
const runSlack = 512

// short returns the error for a page whose bytes end before its values.
func short() error { return fault.New(fault.CodeDamaged, "a page ends before its values do") }

// undecodable returns the error for a page whose bytes are not in the stated encoding.
func undecodable() error { return fault.New(fault.CodeDamaged, "a page cannot be decoded") }

// runs decodes numbers in Parquet's mix of runs of equal numbers and bit-packed groups of eight. The library decodes
// only whole sequences, so cut writes the next numbers as a sequence of their own. The caller must have called
// countRuns for the bytes. Source: parquet-format, Encodings.md, "RLE = 3".
type runs struct {
	b      []byte // the bytes not decoded yet; if a run was begun, they start with its value or its groups
	width  uint   // bits of a number
	left   int    // numbers left in the current run; for a bit-packed run, groups of eight
	packed bool
	skip   int // numbers of the first group that belonged to the last piece
	begun  bool
	piece  []byte
}

// newRuns returns a decoder of numbers of width bits in b.
func newRuns(b []byte, width uint) runs { return runs{b: b, width: width} }

// cut returns an encoded sequence that holds skip numbers, which the caller must drop, and then the next n numbers. The
// sequence starts with a copy of head. all is true if the caller needs no numbers after these.
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
			// The next piece starts within this group.
			if n -= 8 * groups; n < 0 {
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

// decodeOctets decodes the next n numbers, of at most 8 bits each. It decodes into dst, which it may replace by a
// longer slice, and returns that slice as memory and the numbers as a part of it. all is true if no numbers are needed
// after these.
func (r *runs) decodeOctets(dst []byte, n int, all bool) (memory, numbers []byte, err error) {
	piece, skip := r.cut(nil, n, all)
	memory, err = (&rle.Encoding{BitWidth: int(r.width)}).DecodeLevels(dst, piece)
	if err != nil || len(memory)-skip < n {
		return dst, nil, undecodable()
	}
	return memory, memory[skip : skip+n], nil
}

// decodeCodes is decodeOctets for numbers of at most 32 bits. page holds the values of the page, whose first byte is
// the width of codes.
func (r *runs) decodeCodes(dst []int32, page []byte, n int, all bool) (memory, numbers []int32, err error) {
	piece, skip := page, 0
	if !all || r.begun {
		piece, skip = r.cut(page[:1], n, all)
	}
	memory, err = parquet.RLEDictionary.DecodeInt32(dst, piece)
	if err != nil || len(memory)-skip < n {
		return dst, nil, undecodable()
	}
	return memory, memory[skip : skip+n], nil
}

// countRuns counts the numbers of width bits in a mix of runs and bit-packed groups. announced is the number that the
// page states. Source: parquet-format, Encodings.md, "RLE = 3".
func countRuns(b []byte, width uint, announced int) (int, error) {
	limit := uint64(announced + runSlack)
	total := uint64(0)
	if width > 32 {
		return 0, fault.New(fault.CodeDamaged, "a page has codes of more than 32 bits")
	}
	for len(b) > 0 && total <= limit {
		head, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, short()
		}
		count, size := head>>1, uint64(width+7)/8
		switch {
		case count == 0: // the library expects no number after the head of an empty run
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
		return 0, fault.New(fault.CodeDamaged, "a page has more values than it announces")
	}
	return int(total), nil
}

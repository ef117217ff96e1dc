package domain

import (
	"math/big"
	"math/bits"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// intRange maps the integers of a range to 0 and all others to another code. It compares the integers' keys (see
// integers).
type intRange struct {
	integers
	Span[int64]
}

// above raises the lower bound of the range to x.
func (r *intRange) above(x *big.Int) {
	key, beyond := r.keyOf(x)
	switch {
	case beyond > 0:
		r.Least, r.Most = 1, 0
	case beyond == 0:
		r.Least = max(r.Least, key)
	}
}

// below lowers the upper bound of the range to x.
func (r *intRange) below(x *big.Int) {
	key, beyond := r.keyOf(x)
	switch {
	case beyond < 0:
		r.Least, r.Most = 1, 0
	case beyond == 0:
		r.Most = min(r.Most, key)
	}
}

func (r intRange) code(key int64) int32 {
	if r.Least <= key && key <= r.Most {
		return 0
	}
	return columnar.Dropped
}

// Codes subtracts instead of branching, because the processor cannot predict which rows a filter keeps.
func (r intRange) Codes(v table.Values, from int, dst []int32) {
	if r.Least > r.Most {
		for i := range dst {
			dst[i] = columnar.Dropped
		}
		return
	}
	first, span := uint64(r.Least), uint64(r.Most)-uint64(r.Least)
	for i, x := range v.Ints[from : from+len(dst)] {
		_, beyond := bits.Sub64(span, uint64(r.key(x))-first, 0)
		dst[i] = int32(beyond) * columnar.Dropped
	}
}

// contains sets dst[i] to whether ints[i] is in the range.
func (r intRange) contains(ints []int64, dst []bool) {
	if r.Least > r.Most {
		clear(dst)
		return
	}
	first, span, flip := uint64(r.Least), uint64(r.Most)-uint64(r.Least), uint64(r.key(0))
	dst = dst[:len(ints)]
	for i, x := range ints {
		dst[i] = uint64(x)^flip-first <= span
	}
}

// floatRange maps the floats of a range to 0 and all others to another code.
type floatRange struct{ Span[float64] }

func (r floatRange) code(x float64) int32 {
	if r.Least <= x && x <= r.Most {
		return 0
	}
	return columnar.Dropped // this includes NaN
}

func (r floatRange) Codes(v table.Values, from int, dst []int32) {
	for i, x := range v.Floats[from : from+len(dst)] {
		dst[i] = r.code(x)
	}
}

// textRange maps texts that are decimal numbers in a range to 0. Integers are compared exactly, other numbers as
// floats.
type textRange struct {
	ints   intRange
	floats floatRange
}

func (r textRange) Codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		text := v.Bytes(from + i)
		dst[i] = columnar.Dropped
		if n, ok := parseInt(text); ok {
			dst[i] = r.ints.code(n)
		} else if x, ok := ParseFloat(text); ok {
			dst[i] = r.floats.code(x)
		}
	}
}

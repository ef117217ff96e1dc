package domain

import (
	"math/big"
	"math/bits"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// intRange gives the integers of a range the code 0; it compares their keys.
type intRange struct {
	integers
	Span[int64]
}

// above leaves out the integers below x.
func (r *intRange) above(x *big.Int) {
	key, beyond := r.keyOf(x)
	switch {
	case beyond > 0:
		r.Least, r.Most = 1, 0
	case beyond == 0:
		r.Least = max(r.Least, key)
	}
}

// below leaves out the integers above x.
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

// Codes subtracts instead of branching: whether a filter keeps a row is as unpredictable as the row's value.
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

// contains writes for each integer whether it is in the range.
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

// floatRange gives the code 0 to the floats of a range.
type floatRange struct{ Span[float64] }

func (r floatRange) code(x float64) int32 {
	if r.Least <= x && x <= r.Most {
		return 0
	}
	return columnar.Dropped // NaN too
}

func (r floatRange) Codes(v table.Values, from int, dst []int32) {
	for i, x := range v.Floats[from : from+len(dst)] {
		dst[i] = r.code(x)
	}
}

// textRange gives decimal texts in a range the code 0: integers are compared exactly, others as floats.
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

package quantize

import (
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// Weighted values
//
// A weighted mean needs two numbers of each row: weight·(value - centre), and the weight. Value and weight are first
// clamped and rounded, each to its own quantum. So their product is an exact integer in units of the product of both
// quanta, and every engine sums the same integers.

// Factors quantize a weighted value: the value, minus its centre, and the weight.
type Factors struct{ Value, Weight *Quantizer }

const (
	// factorBits is the number of binary digits of a quantized value or weight: their product has at most 60.
	factorBits = 30
	// factorLog2 keeps the larger bound of a value, and of a weight, between 2^-450 and 2^450 in absolute value, so
	// that products of a value and a weight do not overflow a float64.
	factorLog2 = 450
)

// newWeighted returns the quantizer of a value with a weight, or reports problems and returns nil.
func newWeighted(v *Value, o Options, p *problem.Problems) *Quantizer {
	if v.IsVector() || v.ClipL2 != "" || v.Share != 0 || v.Rows != 0 {
		p.Add(o.Field+".weight", problem.CodeBadSpec,
			"a weighted mean has one column, with a clamp, and its sum of weights is private",
			"remove weight, or the other columns, clip_l2, clamp: discover and rows")
		return nil
	}
	plain := *v
	plain.Weight = nil
	f := &Factors{
		Value:  New(&plain, Options{Field: o.Field, Centred: true, Bits: factorBits, MaxLog2: factorLog2}, p),
		Weight: New(v.Weight, Options{Field: o.Field + ".weight", Bits: factorBits, MaxLog2: factorLog2}, p),
	}
	CheckWeight(v.Weight, o.Field+".weight", p)
	if f.Value == nil || f.Weight == nil {
		return nil
	}
	most := f.Value.Half() * f.Weight.Max
	return &Quantizer{Options: Options{Field: o.Field, Bits: 2 * factorBits}, Value: v, Dims: 1, Factors: f,
		Exponent: f.Value.Exponent + f.Weight.Exponent, Min: -most, Max: most}
}

// CheckWeight reports a problem if the range of a weight allows negative numbers.
func CheckWeight(v *Value, field string, p *problem.Problems) {
	if low, ok := domain.Number(v.Lo); ok && low.Sign() < 0 {
		p.Add(field+".clamp", problem.CodeBadValue, "a weight below 0 stands for no number of people or things",
			"write [0, hi]")
	}
}

// Numbers returns how many integers Quantize makes of a row: one for each component, and one more for a weight.
func (q *Quantizer) Numbers() int {
	if q.Factors != nil {
		return 2
	}
	return q.Dims
}

// Range returns the smallest and the largest possible value of integer i of a row.
func (q *Quantizer) Range(i int) (low, high int64) {
	if q.Factors != nil && i == 1 {
		return q.Factors.Weight.Min, q.Factors.Weight.Max
	}
	return q.Min, q.Max
}

// quantize writes weight·(value - centre) and the weight to dst. It returns false if value or weight is NaN.
func (f *Factors) quantize(dst []int64, row []float64) bool {
	var value [1]int64
	if len(row) != 2 || !f.Value.Quantize(value[:], row[:1]) || !f.Weight.Quantize(dst[1:], row[1:]) {
		return false
	}
	dst[0] = (value[0] - f.Value.Centre) * dst[1]
	return true
}

// Package quantize turns the values that a query adds up into integers.
//
// A sum is exact, and its noise covers what one row can change, only if every value is an integer of bounded size. So
// bounds and values are held as multiples of a quantum, which is a power of two that follows from the bounds alone: for
// sums and means the u with V·2^-40 <= u < V·2^-39, V the larger of |Lo| and |Hi|, or ClipL2. Whole numbers are exact
// up to V = 2^40. A [Value] says what is added up, a [Quantizer] bounds and rounds it, and [RowValues] reads it from
// batches.
package quantize

import (
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

const (
	// MaxBits is the largest number of binary digits of a quantized value; by default it has so many.
	MaxBits = 40
	maxLog2 = 900 // the largest logarithm of V and of 1/V
)

// Options are the requirements of a kind of query for its quantizer.
type Options struct {
	// Field is the path of the value in the query, for messages.
	Field string `aggregation:"message"`
	// Centred is set if values are added up less the centre of their range.
	Centred bool
	// Bits is the number of binary digits of a value, 0 for [MaxBits].
	Bits int
	// MaxLog2 bounds the binary logarithm of V and of 1/V further, unless it is 0.
	MaxLog2 int
}

// Quantizer is a value that was checked: how floats become integers, in multiples of the quantum.
type Quantizer struct {
	Options
	Value    *Value
	Dims     int
	Exponent int     // the quantum is 2^Exponent
	inverse  float64 // 2^-Exponent
	Min, Max int64   // the range, or ∓ the norm
	Centre   int64   // subtracted if values are centred
	Clip     bool    // Max bounds the norm
	// Factors are the value and the weight if values are weighted, else nil. Values are then products less the centre.
	Factors *Factors
}

// New checks a value and returns its quantizer, or reports problems and returns nil.
func New(v *Value, o Options, p *problem.Problems) *Quantizer {
	if v.Weight != nil {
		return newWeighted(v, o, p)
	}
	before := len(p.List)
	q := &Quantizer{Options: o, Value: v, Dims: v.Dims(), Clip: v.ClipL2 != ""}
	if q.Bits == 0 {
		q.Bits = MaxBits
	}
	if q.MaxLog2 == 0 {
		q.MaxLog2 = maxLog2
	}
	v.checkColumns(q.Field, p)
	low, high := v.minMax(q.Field, p)
	if len(p.List) > before {
		return nil
	}
	if !q.fit(low, high) {
		p.Add(q.boundField(), problem.CodeBadValue, "the bounds are too close to each other, or beyond 2^±900",
			"values are held to 12 digits of the larger bound")
		return nil
	}
	return q
}

func (q *Quantizer) boundField() string {
	if q.Clip {
		return q.Field + ".clip_l2"
	}
	return q.Field + ".clamp"
}

// fit chooses the quantum and moves the range onto its multiples, inwards. If values are centred, the range gets a
// centre. It returns false if the range is too narrow, or beyond all quanta.
func (q *Quantizer) fit(low, high *big.Rat) bool {
	v := slices.MaxFunc([]*big.Rat{new(big.Rat).Abs(low), new(big.Rat).Abs(high)}, (*big.Rat).Cmp)
	e := ceilLog2(v)
	if e < -q.MaxLog2 || e > q.MaxLog2 {
		return false
	}
	q.Exponent = e - q.Bits
	q.inverse = math.Ldexp(1, -q.Exponent)
	u := powerOfTwo(-q.Exponent)
	q.Min, q.Max = domain.Ceil(new(big.Rat).Mul(low, u)).Int64(), domain.Floor(new(big.Rat).Mul(high, u)).Int64()
	if q.Centred {
		q.Max -= (q.Max - q.Min) & 1
		q.Centre = (q.Min + q.Max) / 2
	}
	return q.Min < q.Max
}

// Between returns the quantizer with another range, in the same quanta. If centred is set, values are added up less its
// centre.
func (q *Quantizer) Between(low, high int64, centred bool) *Quantizer {
	out := *q
	out.Min, out.Max, out.Centre, out.Centred = low, high, 0, centred
	if centred {
		out.Centre = low + (high-low)/2
	}
	return &out
}

// ceilLog2 returns the least e with x <= 2^e, for x > 0.
func ceilLog2(x *big.Rat) int {
	e := x.Num().BitLen() - x.Denom().BitLen() - 1 // 2^e < x
	for x.Cmp(powerOfTwo(e)) > 0 {
		e++
	}
	return e
}

func powerOfTwo(e int) *big.Rat {
	x := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), x)
	}
	return new(big.Rat).SetInt(x)
}

// Real returns n quanta as a float64, without rounding if n has at most 53 digits.
func (q *Quantizer) Real(n int64) float64 { return math.Ldexp(float64(n), q.Exponent) }

// Half returns half the range of a centred component, or the norm, in quanta.
func (q *Quantizer) Half() int64 { return q.Max - q.Centre }

// Package quantize turns the values that a query adds up into integers.
//
// A sum is exact, and one row changes it by a bounded amount, only if every value is an integer of bounded size. So
// bounds and values become multiples of a quantum, a power of two that follows from the bounds alone. For sums and
// means the quantum u has V·2^-40 <= u < V·2^-39, with V = max(|Lo|, |Hi|) or V = ClipL2. Integer values are not
// rounded if V is at most 2^40. A [Value] describes the values of rows, [RowValues] reads them from batches, and a
// [Quantizer] bounds and rounds them.
package quantize

import (
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

const (
	// MaxBits is the largest number of binary digits of a quantized value, and the number that values have by default.
	MaxBits = 40
	maxLog2 = 900 // the largest binary logarithm of V and of 1/V
)

// Options describe what a kind of query needs from its quantizer.
type Options struct {
	// Field is the path of the value in the query, for messages.
	Field string `aggregation:"message"`
	// Centred is set if the centre of the range is subtracted from values before summing.
	Centred bool
	// Bits is the number of binary digits of a quantized value; 0 means [MaxBits].
	Bits int
	// MaxLog2 is the largest e such that the larger bound of the range, in absolute value, may be 2^e or 2^-e; 0 means
	// maxLog2.
	MaxLog2 int
}

// Quantizer converts values from floats to integers, which are multiples of the quantum.
type Quantizer struct {
	Options
	Value    *Value
	Dims     int
	Exponent int     // the quantum is 2^Exponent
	inverse  float64 // 2^-Exponent
	Min, Max int64   // the range of a component in quanta; minus and plus the largest norm if Clip is set
	Centre   int64   // the centre in quanta, which is subtracted before summing; 0 if values are not centred
	Clip     bool    // Max bounds the L2 norm of a vector instead of each component
	// Factors quantize the value and the weight if values are weighted: a quantized value is weight·(value - centre of the
	// value). Otherwise Factors is nil.
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

// fit chooses the quantum, and moves the minimum and maximum inwards to multiples of the quantum. If values are
// centred, it also sets the centre. It returns false if the range is too narrow, or too large or small for any quantum.
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

// Between returns a quantizer with the range from low to high, in the same quanta. If centred is set, the centre of
// this range is subtracted from values before summing.
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
	e := x.Num().BitLen() - x.Denom().BitLen() - 1 // e is too small: 2^e < x
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

// Real returns n quanta as a float64. It is exact if n has at most 53 binary digits.
func (q *Quantizer) Real(n int64) float64 { return math.Ldexp(float64(n), q.Exponent) }

// Half returns half the range of a centred component, or the norm, in quanta.
func (q *Quantizer) Half() int64 { return q.Max - q.Centre }

package queries

import (
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

const (
	fixedBits = 40  // u = 2^(ceil(log2 V) - 40)
	maxLog2   = 900 // of V, and of 1/V
)

// quantizer is a value that was checked: how floats become integers in units of 2^unit.
type quantizer struct {
	dims      int
	unit      int
	inverse   float64 // 2^-unit
	low, high int64   // the range, or ∓ the norm
	centre    int64   // what is subtracted if centred
	centred   bool
	clip      bool  // high bounds the norm
	rows      int64 // public number of terms, or 0
	field     string
}

// newQuantizer checks a value and returns it; nil: what is wrong is reported.
func newQuantizer(s Spec, p *problem.Problems) *quantizer {
	if s.Value == nil {
		return nil
	}
	v, before := s.Value, len(p.List)
	f := summaries[s.Kind]
	q := &quantizer{dims: v.dims(), centred: f.centred, clip: v.ClipL2 != "", rows: v.Rows, field: string(s.Kind)}
	v.checkColumns(q.field, p)
	v.checkRows(s, p)
	low, high := v.ends(q.field, p)
	if len(p.List) > before {
		return nil
	}
	if !q.fit(low, high, f.valueBits) {
		p.Add(q.boundField(), problem.CodeBadValue, "the bounds are too close to each other, or beyond 2^±900", "values are held to 12 digits of the larger bound")
		return nil
	}
	return q
}

func (q *quantizer) boundField() string {
	if q.clip {
		return q.field + ".clip_l2"
	}
	return q.field + ".clamp"
}

// fit chooses the unit and puts the range onto its multiples, inwards. If the values are centred the range has a centre. false: it is too
// narrow, or beyond all units.
func (q *quantizer) fit(low, high *big.Rat, bits int) bool {
	v := slices.MaxFunc([]*big.Rat{new(big.Rat).Abs(low), new(big.Rat).Abs(high)}, (*big.Rat).Cmp)
	e := ceilLog2(v)
	if e < -maxLog2 || e > maxLog2 || bits == squareBits && tooFar(v) {
		return false
	}
	q.unit = e - bits
	q.inverse = math.Ldexp(1, -q.unit)
	u := powerOfTwo(-q.unit)
	q.low, q.high = domain.Ceil(new(big.Rat).Mul(low, u)).Int64(), domain.Floor(new(big.Rat).Mul(high, u)).Int64()
	if q.centred {
		q.high -= (q.high - q.low) & 1
		q.centre = (q.low + q.high) / 2
	}
	return q.low < q.high
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

// size returns a number of units as a float64; it has at most 53 digits.
func (q *quantizer) size(units int64) float64 { return math.Ldexp(float64(units), q.unit) }

// half is half the range of a centred component, or the norm, in units.
func (q *quantizer) half() int64 { return q.high - q.centre }

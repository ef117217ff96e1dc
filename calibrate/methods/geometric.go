package methods

import (
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Geometric is the two-sided geometric mechanism for integers: each cell gets noise z with probability
// (1-q)/(1+q)·q^|z|, q = e^(-1/Scale).
type Geometric struct {
	// L1 is the query's L1 sensitivity, an integer from 1 to 2^53.
	L1 int64
	// Scale is the scale of the noise, in units of 1.
	Scale float64
}

// GeometricScale returns the least float64 scale, in units of 1, with which the mechanism [Geometric] of L1 sensitivity
// l1 is proven to be (epsilon, delta)-differentially private. Errors: as for calibrate.LaplaceScale; "sensitivity" if
// it is not from 1 to 2^53.
func GeometricScale(l1 int64, g calibrate.Guarantee) (float64, error) {
	start, err := calibrate.LaplaceScale(float64(l1), g)
	if err != nil {
		return 0, err
	}
	if err := (Geometric{l1, 1}).validate(); err != nil {
		return 0, err
	}
	scale, found := numeric.Boundary(start, true, false, func(scale float64) bool {
		d, err := Geometric{l1, scale}.Delta(g.Epsilon)
		return err == nil && d <= g.Delta
	})
	if !found {
		return 0, argument.New("sensitivity", "= %d needs a scale above the largest float64", l1)
	}
	return scale, nil
}

func (g Geometric) validate() error {
	if g.L1 < 1 || g.L1 > 1<<53 {
		return argument.New("sensitivity", "must be 1 to 2^53, not %d", g.L1)
	}
	return argument.Positive("scale", g.Scale)
}

// Delta returns the least delta of the mechanism at eps, rounded up. Let m be the largest integer whose loss
// (L1-2m)/Scale is above eps. Then delta is
//
//	Pr[Z <= m] - e^eps·Pr[Z <= m - L1] = 1 - (q^(m+1) + e^eps·q^(L1-m))/(1+q),
//
// and 0 if eps is at least L1/Scale. Errors are *ArgumentError: "sensitivity", "scale", "epsilon".
//
// Proof note. Delta is the maximum of this expression over m (Neyman & Pearson). The m of the maximum is found by an
// exact comparison in 1024 bits. If the comparison is a tie, the next m gives the same value.
func (g Geometric) Delta(eps calibrate.Epsilon) (calibrate.Delta, error) {
	if err := g.validate(); err != nil {
		return 0, err
	}
	if err := eps.Validate(); err != nil {
		return 0, err
	}
	scale := numeric.BigOf(g.Scale)
	gap := numeric.NewBig().Mul(numeric.BigOf(float64(eps)), scale)
	gap.Sub(numeric.BigOf(float64(g.L1)), gap) // (L1 - eps·Scale) > 2m
	if gap.Sign() <= 0 {
		return 0, nil
	}
	m := largestIntegerBelow(gap.SetMantExp(gap, -1))
	return calibrate.Delta(numeric.ProbabilityUp(g.value(m, numeric.BigOf(float64(eps))))), nil
}

// largestIntegerBelow returns the largest integer that is less than x > 0.
func largestIntegerBelow(x *big.Float) *big.Float {
	n, _ := x.Int(nil)
	whole := numeric.NewBig().SetInt(n)
	if whole.Cmp(x) == 0 {
		whole.Sub(whole, numeric.BigOf(1))
	}
	return whole
}

// value returns (1 + q - q^(m+1) - e^-v)/(1+q) with v = (L1-m)/Scale - eps, as a sum of two terms: 1 - q^(m+1) and q·(1
// - e^-(v - 1/Scale)). (L1-2m)/Scale > eps implies v > m/Scale, so the second term is positive if m > 0. If m = 0, the
// sum of both is 1 - e^-v.
func (g Geometric) value(m, eps *big.Float) *big.Float {
	step := numeric.NewBig().Quo(numeric.BigOf(1), numeric.BigOf(g.Scale))
	u := numeric.NewBig().Add(m, numeric.BigOf(1))
	u.Mul(u, step)
	v := numeric.NewBig().Sub(numeric.BigOf(float64(g.L1)), m)
	v.Sub(v.Mul(v, step), eps)
	both := numeric.OneLessExp(numeric.Capped(u))
	q := numeric.BigExpFar(numeric.NewBig().Neg(numeric.Capped(step)))
	v.Sub(v, step)
	if v.Sign() >= 0 {
		both.Add(both, numeric.NewBig().Mul(q, numeric.OneLessExp(numeric.Capped(v))))
	} else {
		both = numeric.OneLessExp(numeric.Capped(v.Add(v, step)))
	}
	return both.Quo(both, q.Add(q, numeric.BigOf(1)))
}

package methods

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// SigmaBound is a bound of the literature on the least sigma.
type SigmaBound struct {
	// Name identifies the bound's source; see SigmaBounds.
	Name string
	// Lower is true for a lower bound, which is rounded down, and false for an upper bound, which is rounded up.
	Lower bool
	// Sigma is the bound, in the sensitivity's unit.
	Sigma calibrate.Sigma
}

// SigmaBounds returns the bounds on AnalyticGaussian's sigma that apply to g:
//
//	balle-wang-2   upper  L2/(2·delta), for every epsilon (Balle & Wang 2018, Theorem 2)
//	balle-wang-4   lower  L2/sqrt(2·epsilon) if delta < 1/2 - 1/sqrt(4·pi·epsilon) (Theorem 4, whose condition is misprinted)
//	sign           lower  L2/sqrt(2·epsilon) if 2·delta <= 1 - erfcx(sqrt epsilon), exactly; upper if >=
//	zero-epsilon   upper  L2/(2·sqrt 2·inverf(delta)), for every epsilon (Zhao et al. 2019)
//	zhao-1         upper  Mechanism 1; lower: the same formula with a lower bound for its t, if that is positive
//
// Bounds above the largest float64 are left out. Errors are *ArgumentError: see Guarantee.Validate; "sensitivity".
func SigmaBounds(s calibrate.Sensitivity, g calibrate.Guarantee) ([]SigmaBound, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	if err := argument.Positive("sensitivity", s.L2); err != nil {
		return nil, err
	}
	delta := numeric.BigOf(float64(g.Delta))
	half := numeric.NewBig().SetMantExp(delta, 1)
	b := bounds{l2: numeric.BigOf(s.L2)}
	b.add("balle-wang-2", false, half.Quo(numeric.BigOf(1), half))
	b.add("zero-epsilon", false, zeroEpsilonSigma(delta))
	if g.Epsilon > 0 {
		b.addForPositiveEpsilon(numeric.BigOf(float64(g.Epsilon)), delta)
	}
	return b.all, nil
}

type bounds struct {
	l2  *big.Float
	all []SigmaBound
}

func (b *bounds) add(name string, lower bool, unit *big.Float) {
	x := numeric.NewBig().Mul(unit, b.l2)
	sigma := numeric.RoundedUp(x)
	if lower {
		sigma = numeric.RoundedDown(x)
	}
	if sigma > 0 && !math.IsInf(sigma, 0) {
		b.all = append(b.all, SigmaBound{name, lower, calibrate.Sigma(sigma)})
	}
}

// addForPositiveEpsilon adds the bounds that need epsilon > 0.
func (b *bounds) addForPositiveEpsilon(eps, delta *big.Float) {
	atZero, twice := sigmaOf(numeric.NewBig(), eps), numeric.NewBig().SetMantExp(delta, 1)
	if balleWang4(eps, delta) {
		b.add("balle-wang-4", true, atZero)
	}
	room := numeric.OneLessErfcx(numeric.NewBig().Sqrt(eps))
	b.add("sign", room.Sub(room, twice).Sign() >= 0, atZero)
	b.add("zhao-1", false, zhao1(eps, delta))
	if room.Sign() > 0 {
		b.add("zhao-1", true, sigmaOf(numeric.BigInvErf(room), eps))
	}
}

// balleWang4 reports whether delta < 1/2 - 1/sqrt(4·pi·eps). It returns false if 1024 bits cannot decide.
func balleWang4(eps, delta *big.Float) bool {
	root := numeric.NewBig().Sqrt(numeric.NewBig().SetMantExp(eps, 2))
	root.Mul(root, numeric.BigSqrtPi())
	sum := root.Quo(numeric.BigOf(1), root)
	sum.Add(sum, delta)
	return sum.Add(sum, numeric.NewBig().SetMantExp(sum, -900)).Cmp(numeric.BigOf(0.5)) < 0
}

package calibrate

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The exact curve of the Laplace mechanism
//
// The privacy loss is at most L1/Scale, and
//
//	delta(eps) = 1 - e^((eps - L1/Scale)/2)  for 0 <= eps <= L1/Scale.
//
// Scales and epsilons are solutions of this equation, rounded to the safe side. Type Pure uses them.

// Laplace describes the Laplace mechanism: it adds noise with density e^(-|z|/Scale)/(2·Scale) to each cell of a query.
type Laplace struct {
	// L1 is the query's L1 sensitivity, Scale the scale of the noise; both are in the query's unit.
	L1, Scale float64
}

// LaplaceScale returns the least scale with which the mechanism [Laplace] of L1 sensitivity l1 is (epsilon,
// delta)-differentially private, in the unit of l1. It is l1/(epsilon - 2·ln(1-delta)), rounded up; if delta is 0,
// l1/epsilon. Errors are *ArgumentError: "epsilon"; "delta" if it is neither 0 nor in [MinDelta, 1); "sensitivity";
// "epsilon" if both are 0.
func LaplaceScale(l1 float64, g Guarantee) (float64, error) {
	if err := validateOrPure(g); err != nil {
		return 0, err
	}
	if err := argument.Positive("sensitivity", l1); err != nil {
		return 0, err
	}
	if g.Epsilon == 0 && g.Delta == 0 {
		return 0, argument.New("epsilon", "must be above 0 if delta is 0")
	}
	loss := numeric.NegLogOneLess(numeric.BigOf(float64(g.Delta)))
	loss.SetMantExp(loss, 1)
	loss.Add(loss, numeric.BigOf(float64(g.Epsilon)))
	scale := numeric.CeilingOfRatio(numeric.BigOf(l1), float64(g.Epsilon))
	if g.Delta > 0 {
		scale = numeric.RoundedUp(numeric.NewBig().Quo(numeric.BigOf(l1), loss))
	}
	if math.IsInf(scale, 0) {
		return 0, argument.New("sensitivity", "= %g needs a scale above the largest float64", l1)
	}
	return scale, nil
}

// validateOrPure is Guarantee.Validate, but accepts a delta of 0.
func validateOrPure(g Guarantee) error {
	if g.Delta == 0 {
		return g.Epsilon.Validate()
	}
	return g.Validate()
}

// Validate returns an *ArgumentError if the sensitivity or the scale is not positive and finite.
func (l Laplace) Validate() error {
	if err := argument.Positive("sensitivity", l.L1); err != nil {
		return err
	}
	return argument.Positive("scale", l.Scale)
}

// maxLoss returns the largest possible privacy loss, L1/Scale.
func (l Laplace) maxLoss() *big.Float {
	return numeric.NewBig().Quo(numeric.BigOf(l.L1), numeric.BigOf(l.Scale))
}

// Delta returns the least delta of the mechanism at eps, rounded up: 1 - e^((eps - L1/Scale)/2), or 0 if eps is at
// least L1/Scale. Errors are *ArgumentError: "sensitivity", "scale", "epsilon".
func (l Laplace) Delta(eps Epsilon) (Delta, error) {
	if err := l.Validate(); err != nil {
		return 0, err
	}
	if err := eps.Validate(); err != nil {
		return 0, err
	}
	gap := numeric.NewBig().Sub(l.maxLoss(), numeric.BigOf(float64(eps)))
	if gap.Sign() <= 0 {
		return 0, nil
	}
	return Delta(numeric.ProbabilityUp(numeric.OneLessExp(numeric.Capped(gap.SetMantExp(gap, -1))))), nil
}

// Epsilon returns the least epsilon of the mechanism at delta, rounded up: L1/Scale + 2·ln(1-delta), at least 0. If
// delta is 0, it is L1/Scale. Errors are *ArgumentError: "sensitivity"; "scale", also if epsilon would be above
// MaxEpsilon; "delta" outside of [0, 1).
func (l Laplace) Epsilon(delta Delta) (Epsilon, error) {
	if err := l.Validate(); err != nil {
		return 0, err
	}
	if err := validateOrPure(Guarantee{0, delta}); err != nil {
		return 0, err
	}
	if most := numeric.CeilingOfRatio(numeric.BigOf(l.L1), l.Scale); delta == 0 && most <= MaxEpsilon {
		return Epsilon(most), nil
	}
	less := numeric.NegLogOneLess(numeric.BigOf(float64(delta)))
	eps := numeric.NewBig().Sub(l.maxLoss(), less.SetMantExp(less, 1))
	if eps.Sign() <= 0 {
		return 0, nil
	}
	if e := numeric.RoundedUp(numeric.WithSlack(eps, less)); e <= MaxEpsilon {
		return Epsilon(e), nil
	}
	return 0, argument.New("scale", "needs an epsilon above %g", float64(MaxEpsilon))
}

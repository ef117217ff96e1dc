package calibrate

import (
	"math"
	"math/big"
)

// Laplace is the Laplace mechanism: noise of density e^(-|z|/Scale)/(2·Scale) on each cell of a query.
type Laplace struct {
	// L1 is the query's L1 sensitivity, and Scale the noise's, both in the query's unit.
	L1, Scale float64
}

// LaplaceScale is the least scale that gives (epsilon, delta)-differential privacy, rounded up: L1/(epsilon - 2·ln(1-delta)), from the exact
// curve; L1/epsilon if delta is 0. Errors are *ArgumentError: "epsilon"; "delta" outside of [0, 1), and too small to be one if it
// is not 0; "sensitivity"; "epsilon" if both are 0.
func LaplaceScale(l1 float64, g Guarantee) (float64, error) {
	if err := (Part{g, 1}).validate(); err != nil {
		return 0, err
	}
	if err := positive("sensitivity", l1); err != nil {
		return 0, err
	}
	if g.Epsilon == 0 && g.Delta == 0 {
		return 0, argument("epsilon", "must be above 0 where delta is 0")
	}
	loss := bigLogRest(bigOf(float64(g.Delta)))
	loss.SetMantExp(loss, 1)
	loss.Add(loss, bigOf(float64(g.Epsilon)))
	scale := ceilingOfRatio(bigOf(l1), float64(g.Epsilon))
	if g.Delta > 0 {
		scale = roundedUp(newBig().Quo(bigOf(l1), loss))
	}
	if math.IsInf(scale, 0) {
		return 0, argument("sensitivity", "= %g needs a scale above the largest float64", l1)
	}
	return scale, nil
}

func (l Laplace) validate() error {
	if err := positive("sensitivity", l.L1); err != nil {
		return err
	}
	return positive("scale", l.Scale)
}

// most is the largest privacy loss, L1/Scale.
func (l Laplace) most() *big.Float { return newBig().Quo(bigOf(l.L1), bigOf(l.Scale)) }

// Delta is the least delta of the mechanism at eps: 1 - e^((eps - L1/Scale)/2), or 0 from L1/Scale on; rounded up. Errors are *ArgumentError:
// "sensitivity", "scale", "epsilon".
func (l Laplace) Delta(eps Epsilon) (Delta, error) {
	if err := l.validate(); err != nil {
		return 0, err
	}
	if err := eps.validate(); err != nil {
		return 0, err
	}
	gap := newBig().Sub(l.most(), bigOf(float64(eps)))
	if gap.Sign() <= 0 {
		return 0, nil
	}
	return probabilityUp(oneLessExp(nearer(gap.SetMantExp(gap, -1)))), nil
}

// nearer is t, at most 2^20: beyond, e^-t is nothing.
func nearer(t *big.Float) *big.Float { return smaller(t, bigPow2(20)) }

// Epsilon is the least epsilon of the mechanism at delta: L1/Scale + 2·ln(1-delta), at least 0; L1/Scale if delta is 0; rounded up. Errors are
// *ArgumentError: "sensitivity", "scale", also if epsilon would be above MaxEpsilon; "delta" outside of [0, 1).
func (l Laplace) Epsilon(delta Delta) (Epsilon, error) {
	if err := l.validate(); err != nil {
		return 0, err
	}
	if err := (Part{Guarantee{0, delta}, 1}).validate(); err != nil {
		return 0, err
	}
	if most := ceilingOfRatio(bigOf(l.L1), l.Scale); delta == 0 && most <= MaxEpsilon {
		return Epsilon(most), nil
	}
	less := bigLogRest(bigOf(float64(delta)))
	eps := newBig().Sub(l.most(), less.SetMantExp(less, 1))
	if eps.Sign() <= 0 {
		return 0, nil
	}
	return epsilonUp("scale", withSlack(eps, less))
}

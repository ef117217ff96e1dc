package calibrate

import (
	"math"
	"math/big"
)

// nudge is by how much a sure candidate is moved towards the unsafe side before it is rounded, relative: more than its
// error, so that rounding never loses a last place, and so little that it hardly ever gains one for meets to refuse.
const nudge = 0x1p-60

// deltaOf is GaussianDelta for a valid quotient.
func deltaOf(eps Epsilon, mu quotient) (Delta, error) {
	if err := eps.validate(); err != nil {
		return 0, err
	}
	p := curve(wideOf(float64(eps)), mu.wide())
	switch p.region {
	case nothing:
		return math.SmallestNonzeroFloat64, nil
	case all:
		return 1, nil
	}
	least, most := p.delta(-slack).roundUp(), p.delta(slack).roundUp()
	if least != most && bigMeets(float64(eps), mu.big(), least) {
		return Delta(least), nil
	}
	return Delta(most), nil
}

// delta is the point's delta with its relative error, or that of 1 - delta, taken as by: it grows with by.
func (p point) delta(by float64) wide {
	if p.region == upper {
		return wide{dd{1, 0}.sub(p.value.widen(-by).plain()), 0}.normal()
	}
	return p.value.widen(by)
}

// widen is w·(1 + by), within 2^-103, relative.
func (w wide) widen(by float64) wide {
	return wide{w.m.add(w.m.mulFloat(by)), w.e}.normal()
}

// epsilonOf is GaussianEpsilon for a valid quotient.
func epsilonOf(delta Delta, mu quotient) (Epsilon, error) {
	if err := delta.validate(); err != nil {
		return 0, err
	}
	d := float64(delta)
	switch {
	case meets(0, mu, d):
		return 0, nil
	case !meets(MaxEpsilon, mu, d):
		return 0, argument("mu", "= %g needs an epsilon above %g at delta = %g", mu.wide().near(), float64(MaxEpsilon), d)
	}
	guess, sure := solveEpsilon(d, mu.wide())
	if sure {
		guess = guess.widen(-nudge)
	} else {
		guess = polishEpsilon(guess, mu, d)
	}
	eps, _ := boundary(min(guess.roundUp(), MaxEpsilon), true, sure, func(eps float64) bool {
		return eps >= MaxEpsilon || meets(eps, mu, d)
	})
	return Epsilon(min(eps, MaxEpsilon)), nil
}

// polishEpsilon improves a small epsilon by Newton steps in extended precision: if delta(0) is hardly above delta,
// epsilon is a difference that double-double cannot resolve. d delta(eps)/d eps = -phi(x)·R(y).
func polishEpsilon(eps wide, mu quotient, delta float64) wide {
	e := eps.big()
	for range 3 {
		p := curve(wideOfBig(e), mu.wide())
		if p.region >= nothing {
			return eps
		}
		slope := phi(dd{p.x, 0}).near() * p.mills
		if !(slope > 0) {
			return eps
		}
		excess := bigDelta(e, mu.big())
		excess.Sub(excess, bigOf(delta))
		e.Add(e, excess.Quo(excess, bigOf(slope)))
		if e.Sign() < 0 {
			e = bigOf(0)
		}
	}
	return wideOfBig(e)
}

// big is w without error.
func (w wide) big() *big.Float {
	s := newBig().Add(bigOf(w.m.hi), bigOf(w.m.lo))
	return s.SetMantExp(s, w.e)
}

// wideOfBig is x >= 0 to within 2^-106, relative.
func wideOfBig(x *big.Float) wide {
	m := newBig()
	e := x.MantExp(m)
	return wide{ddOfBig(m), e}.normal()
}

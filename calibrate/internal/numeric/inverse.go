package numeric

import (
	"math"
)

// This file computes delta on the curve of the Gaussian mechanism, and the inverses of the curve: epsilon, mu and
// sigma. Each result is a float64 on the safe side: no guarantee is stated stronger than it is, and no sigma is too
// small. An inverse solves the equation approximately and moves the solution slightly to the unsafe side. From there,
// Boundary finds the extreme float64 that Meets accepts.

// nudge is the relative amount by which a candidate is moved to the unsafe side before it is rounded. It exceeds the
// candidate's error, so rounding never yields a float64 that is safe but not extreme. If the rounded candidate is
// unsafe, which is rare, Meets rejects it.
const nudge = 0x1p-60

// The range of epsilon and delta for which the curve is evaluated.
const (
	// MaxEpsilon is the largest epsilon.
	MaxEpsilon = 1e6
	// MinDelta is the largest float64 that is at most the decimal 1e-300, which is the result of rounding this decimal
	// down. The float64 nearest to 1e-300 is larger.
	MinDelta = 0x1.56e1fc2f8f358p-997
)

// LeastDelta returns the least float64 that is proven to be at least delta(eps) of the Gaussian mechanism with this mu.
// It is at least 5e-324, and is 1 if no smaller float64 is proven. eps is in [0, MaxEpsilon].
func LeastDelta(eps float64, mu Quotient) float64 {
	p := curve(wideOf(eps), mu.wide())
	switch p.region {
	case nothing:
		return math.SmallestNonzeroFloat64
	case all:
		return 1
	}
	least, most := p.delta(-slack).roundUp(), p.delta(slack).roundUp()
	if least != most && BigMeets(eps, mu.big(), least) {
		return least
	}
	return most
}

// delta returns an upper bound on delta at the point if value may have the relative error by > 0, and a lower bound if
// by < 0. If value is 1 - delta, the error is relative to 1 - delta.
func (p point) delta(by float64) wide {
	if p.region == upper {
		return wide{dd{1, 0}.sub(p.value.widen(-by).asDD()), 0}.normal()
	}
	return p.value.widen(by)
}

// LeastEpsilon returns the least float64 epsilon at which the Gaussian mechanism with this mu is proven to meet delta,
// or false if it is above MaxEpsilon. delta is in [MinDelta, 1).
func LeastEpsilon(delta float64, mu Quotient) (float64, bool) {
	switch {
	case Meets(0, mu, delta):
		return 0, true
	case !Meets(MaxEpsilon, mu, delta):
		return 0, false
	}
	guess, converged := solveEpsilon(delta, mu.wide())
	if converged {
		guess = guess.widen(-nudge)
	} else {
		guess = polishEpsilon(guess, mu, delta)
	}
	eps, _ := Boundary(min(guess.roundUp(), MaxEpsilon), true, converged, func(eps float64) bool {
		return eps >= MaxEpsilon || Meets(eps, mu, delta)
	})
	return min(eps, MaxEpsilon), true
}

// LargestMu returns the largest float64 mu with which the Gaussian mechanism is proven to meet (eps, delta).
func LargestMu(eps, delta float64) float64 {
	guess, converged := solveMu(eps, delta)
	mu, _ := Boundary(guess.widen(nudge).roundDown(), false, converged, func(mu float64) bool {
		return mu == 0 || Meets(eps, Quotient{mu, 1}, delta)
	})
	return mu
}

// LeastSigma returns the least float64 sigma with which Gaussian noise on a query of L2 sensitivity l2 is proven to
// meet (eps, delta), or false if no float64 is.
func LeastSigma(l2, eps, delta float64) (float64, bool) {
	mu, converged := solveMu(eps, delta)
	guess := wideOf(l2).div(mu).widen(-nudge).roundUp()
	return Boundary(min(guess, math.MaxFloat64), true, converged, func(sigma float64) bool {
		return sigma > 0 && Meets(eps, Quotient{l2, sigma}, delta)
	})
}

// polishEpsilon improves a small epsilon by Newton steps in extended precision, with d delta(eps)/d eps = -phi(x)·R(y).
// It is needed if delta(0) is just above delta: epsilon is then a difference that double-double cannot resolve.
func polishEpsilon(eps wide, mu Quotient, delta float64) wide {
	e := eps.big()
	for range 3 {
		p := curve(wideOfBig(e), mu.wide())
		if p.region >= nothing {
			return eps
		}
		slope := phi(dd{p.x, 0}).approximate() * p.mills
		if !(slope > 0) {
			return eps
		}
		excess := bigDelta(e, mu.big())
		excess.Sub(excess, BigOf(delta))
		e.Add(e, excess.Quo(excess, BigOf(slope)))
		if e.Sign() < 0 {
			e = BigOf(0)
		}
	}
	return wideOfBig(e)
}

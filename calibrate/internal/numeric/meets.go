package numeric

import (
	"math"
	"math/big"
)

// These functions decide whether noise meets a guarantee. They use the slow evaluation only if the fast one is too
// inexact to decide. If 1024 bits cannot decide, the answer is no. So every yes is proven.

// Quotient is an exact mu = Num/Den: a sensitivity divided by a sigma, or mu divided by 1.
type Quotient struct{ Num, Den float64 }

// wide returns the quotient with a relative error below 2^-102.
func (q Quotient) wide() wide {
	if q.Den == 1 {
		return wideOf(q.Num)
	}
	return wideOf(q.Num).div(wideOf(q.Den))
}

// Near returns the float64 nearest to the quotient, or a neighbour of it.
func (q Quotient) Near() float64 { return q.wide().approximate() }

// big returns the quotient in extended precision.
func (q Quotient) big() *big.Float { return NewBig().Quo(BigOf(q.Num), BigOf(q.Den)) }

// Meets reports whether the Gaussian mechanism with this mu is proven to satisfy (eps, delta), that is, whether
// delta(eps) <= delta is proven. It evaluates in double-double and, if that cannot decide, in extended precision.
func Meets(eps float64, mu Quotient, delta float64) bool {
	switch curve(wideOf(eps), mu.wide()).compare(delta) {
	case -1:
		return true
	case 1:
		return false
	}
	return BigMeets(eps, mu.big(), delta)
}

// MeetsAtRatio does the same as Meets, for mu = eps/c with eps and c above 0.
func MeetsAtRatio(eps float64, c *big.Float, delta float64) bool {
	switch curve(wideOf(eps), wideOf(eps).div(wideOfBig(c))).compare(delta) {
	case -1:
		return true
	case 1:
		return false
	}
	return BigMeets(eps, NewBig().Quo(BigOf(eps), c), delta)
}

// compare returns -1 if delta at the point is proven to be at most delta, 1 if it is proven to be above, and 0 if the
// point's value is too inexact to decide. delta is in [MinDelta, 1 - 2^-53].
func (p point) compare(delta float64) int {
	switch p.region {
	case nothing:
		return -1
	case all:
		return 1
	case upper:
		return -p.value.compare(wide{twoSum(1, -delta), 0}.normal())
	}
	return p.value.compare(wideOf(delta))
}

// compare returns the sign of w - v, or 0 if the relative error of w, at most slack, is too large to decide. Both must
// be normalised.
func (w wide) compare(v wide) int {
	d := w.e - v.e
	switch {
	case d > 1:
		return 1
	case d < -1:
		return -1
	}
	m := w.m.scale(math.Ldexp(1, d))
	gap := m.sub(v.m).hi
	switch tolerance := m.hi * slack; {
	case gap > tolerance:
		return 1
	case gap < -tolerance:
		return -1
	}
	return 0
}

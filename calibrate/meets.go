package calibrate

import (
	"math"
	"math/big"
)

// quotient is mu = num/den, exactly: a sensitivity over a sigma, or mu over 1.
type quotient struct{ num, den float64 }

// wide is the quotient within 2^-102, relative.
func (q quotient) wide() wide {
	if q.den == 1 {
		return wideOf(q.num)
	}
	return wideOf(q.num).div(wideOf(q.den))
}

// big is the quotient in extended precision.
func (q quotient) big() *big.Float { return newBig().Quo(bigOf(q.num), bigOf(q.den)) }

// meets says whether the Gaussian mechanism with this mu satisfies (eps, delta): whether delta(eps) <= delta is proven.
// It evaluates in double-double and, if that cannot decide, in extended precision.
func meets(eps float64, mu quotient, delta float64) bool {
	switch curve(wideOf(eps), mu.wide()).compare(delta) {
	case -1:
		return true
	case 1:
		return false
	}
	return bigMeets(eps, mu.big(), delta)
}

// compare is -1 if the point's delta is certainly at most delta, 1 if it is certainly above, 0 if it is too
// close to tell. delta is in [MinDelta, 1 - 2^-53].
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

// compare is the sign of w - v if w's relative error, at most slack, leaves no doubt; else 0. Both are normalised.
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

// boundary is the extreme float64 for which ok holds, if ok holds for everything on one side of it: the side of larger
// numbers if up, else of smaller ones. It starts at guess, positive or 0; if sure, it trusts that ok fails on the
// unsafe side of guess. It is false if ok holds for no positive finite number that it can reach.
func boundary(guess float64, up, sure bool, ok func(float64) bool) (float64, bool) {
	if !(guess >= 0 && guess <= math.MaxFloat64) {
		guess, sure = 1, false
	}
	if ok(guess) {
		if sure {
			return guess, true
		}
		bad, found := gallop(guess, !up, func(x float64) bool { return !ok(x) })
		if !found {
			return bad, true
		}
		return bisect(guess, bad, ok), true
	}
	good, found := gallop(guess, up, ok)
	if !found {
		return 0, false
	}
	return bisect(good, guess, ok), true
}

// gallop doubles its stride, in units of the last place, until ok holds; false, with the last place tried, if it
// never does.
func gallop(from float64, up bool, ok func(float64) bool) (float64, bool) {
	const end = 0x7fefffffffffffff // MaxFloat64
	at := math.Float64bits(from)
	for stride := uint64(1); ; stride *= 2 {
		next := at - min(stride, at)
		if up {
			next = at + min(stride, end-at)
		}
		if next == at {
			return math.Float64frombits(at), false
		}
		at = next
		if x := math.Float64frombits(at); ok(x) {
			return x, true
		}
	}
}

// bisect is the float64 next to the boundary for which ok holds, between good and bad.
func bisect(good, bad float64, ok func(float64) bool) float64 {
	g, b := math.Float64bits(good), math.Float64bits(bad)
	for max(g, b)-min(g, b) > 1 {
		middle := min(g, b) + (max(g, b)-min(g, b))/2
		if ok(math.Float64frombits(middle)) {
			g = middle
		} else {
			b = middle
		}
	}
	return math.Float64frombits(g)
}

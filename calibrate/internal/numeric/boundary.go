package numeric

import "math"

// If a condition holds for all numbers on one side of a point, Boundary finds the last float64 for which it holds. It
// starts from the solver's candidate, so it usually tests one or two neighbours. Otherwise it doubles the distance
// until the condition changes, and then bisects. Both work on the bit patterns of float64s, which sort as the numbers
// do. So the search ends after some hundred steps even if the candidate is useless.

// Boundary returns the extreme float64 for which ok returns true. ok must return true for all numbers on one side of
// some point: for the larger ones if up is set, otherwise for the smaller ones. The search starts at guess, which is
// positive or 0. If converged is set and ok(guess) is true, Boundary returns guess without testing its neighbour. The
// second result is false if ok is true for no number that the search can reach.
func Boundary(guess float64, up, converged bool, ok func(float64) bool) (float64, bool) {
	if !(guess >= 0 && guess <= math.MaxFloat64) {
		guess, converged = 1, false
	}
	if ok(guess) {
		if converged {
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

// gallop tries numbers at growing distances from a start until ok returns true. The distance doubles, in units of the
// last place. If ok never returns true, gallop returns false and the last number that it tried.
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

// bisect returns the float64 nearest to bad, from good on, for which ok returns true. ok(good) must be true and ok(bad)
// false, with one change between them.
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

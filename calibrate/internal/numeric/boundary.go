package numeric

import "math"

// A search turns a decision into an answer: if a condition holds for all numbers on one side of a point, Boundary finds
// the last float64 for which it holds. From the solver's candidate it tests one or two neighbours. It gallops and
// bisects over the bit patterns of float64s, which have the order of the numbers. So even from a useless candidate it
// ends after some hundred steps.

// Boundary returns the extreme float64 for which ok holds. ok must hold for all numbers on one side of some point: for
// the larger ones if up, else for the smaller ones. The search starts at guess, positive or 0. If sure, Boundary
// returns guess if ok(guess), without testing its neighbour on the unsafe side. The second result is false if ok holds
// for no number that the search can reach.
func Boundary(guess float64, up, sure bool, ok func(float64) bool) (float64, bool) {
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

// gallop doubles its stride, in units of the last place, until ok holds. If ok never holds, it returns false and the
// last number that it tried.
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

// bisect returns the float64 next to the boundary for which ok holds; ok(good) holds and ok(bad) does not.
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

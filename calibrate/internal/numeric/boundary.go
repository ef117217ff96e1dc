package numeric

import "math"

// A search turns a decision into an answer: if a condition holds for all numbers on one side of a point, Boundary finds
// the last float64 for which it holds. From the solver's candidate it looks at one or two neighbours; from a useless
// one it still ends after some hundred steps, since it gallops and bisects over the bit patterns of float64s, which are
// in order.

// Boundary is the extreme float64 for which ok holds, if ok holds for everything on one side of it: the side of larger
// numbers if up, else of smaller ones. It starts at guess, positive or 0; if sure, it trusts that ok fails on the
// unsafe side of guess. It is false if ok holds for no positive finite number that it can reach.
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

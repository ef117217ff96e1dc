// Package draw makes choices for invented tables.
package draw

import "math/rand/v2"

// Index returns an index of weights, none of them below 0, with a probability in proportion to its weight.
func Index(r *rand.Rand, weights []float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	at := r.Float64() * total
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

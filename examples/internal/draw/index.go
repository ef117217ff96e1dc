// Package draw draws random choices for invented tables.
package draw

import "math/rand/v2"

// Index returns an index of weights with a probability in proportion to its weight. No weight may be negative.
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

// Package draw draws random choices for invented tables.
package draw

import "math/rand/v2"

// Index returns a random index of weights: i with a probability proportional to weights[i]. No weight may be negative.
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

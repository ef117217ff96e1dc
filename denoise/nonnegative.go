package denoise

import "math"

// Nonnegative returns max(y_i, 0), the projection of y onto the vectors without negative values. If no true mean is
// negative, the result is never farther from the true means than y. Sums of many cells become biased upwards.
func Nonnegative(y []float64) []float64 {
	return each(y, func(v float64) float64 { return max(v, 0) })
}

// Round returns the nearest integers, ties to even.
func Round(y []float64) []float64 { return each(y, math.RoundToEven) }

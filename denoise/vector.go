package denoise

import "math"

// each applies f to every value, and makes the results finite (see publishable).
func each(y []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = publishable(f(v))
	}
	return out
}

func scale(y []float64, factor float64) []float64 {
	return each(y, func(v float64) float64 { return v * factor })
}

// publishable returns v as a finite number that every output format can hold: ±MaxFloat64 for an overflow, and 0 for
// −0.
func publishable(v float64) float64 {
	if v == 0 {
		return 0
	}
	return max(-math.MaxFloat64, min(v, math.MaxFloat64))
}

func maxAbs(y []float64) float64 {
	var largest float64
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

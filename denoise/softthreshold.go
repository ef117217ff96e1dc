package denoise

import "math"

// SoftThreshold moves every value of y towards 0 by t ≥ 0. Values that would pass 0 become 0:
//
//	sign(y_i)·max(|y_i| − t, 0)
//
// y, the result and t have the same unit; y is not changed.
//
// Source: Donoho & Johnstone, "Ideal spatial adaptation by wavelet shrinkage", Biometrika 81, 1994; for private
// answers: Balle & Wang 2018, section 4.
func SoftThreshold(y []float64, t float64) []float64 {
	return each(y, func(v float64) float64 {
		if math.Abs(v) <= t {
			return 0
		}
		return v - math.Copysign(t, v)
	})
}

// UniversalThreshold returns s·sqrt(2·ln d), or 0 if d ≤ 1. The largest of d Gaussian noises of standard deviation s is
// below it with a probability that tends to 1 as d grows. Soft thresholding at this threshold has an expected squared
// error of at most (2·ln d + 1)·(s² + Σ min(f_i², s²)) around the mean f.
//
// Source: Donoho & Johnstone 1994, Theorem 1.
func UniversalThreshold(d int, s float64) float64 {
	if d <= 1 {
		return 0
	}
	return s * math.Sqrt(2*math.Log(float64(d)))
}

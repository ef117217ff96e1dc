package denoise

import "math"

// JamesStein returns the James–Stein estimate of the mean of y, a vector of d values with independent Gaussian noise of
// standard deviation s > 0 each:
//
//	(1 − (d−2)·s²/‖y‖²)·y                for d ≥ 3, else y
//
// If positive is set, the factor is at least 0. For every mean f, the expected squared error is below d·s², the error
// of y. For f ~ N(0, w²) in each cell it is d·s² − (d−2)·s⁴/(w²+s²), only 2·s⁴/(w²+s²) more than the best estimate that
// knows w.
//
// y and the result have d values in one unit; y is not changed. A value beyond float64's range becomes ±MaxFloat64.
//
// Source: James & Stein, "Estimation with quadratic loss", Berkeley Symposium 1961; the positive part: Baranchik 1964;
// for private answers: Balle & Wang 2018, section 4 (Theorem 11 prints (d−2)²/d² in the risk; right is (d−2)/d).
func JamesStein(y []float64, s float64, positive bool) []float64 {
	if len(y) < 3 {
		return scale(y, 1)
	}
	factor := 1 - shrinkFraction(y, s)
	if positive {
		factor = max(factor, 0)
	}
	return scale(y, factor)
}

// shrinkFraction returns (d−2)·s²/‖y‖², the fraction by which values are moved towards 0, at most MaxFloat64. For the
// zero vector it returns 0. It divides by the largest value first, since the square of the norm could overflow or
// underflow.
func shrinkFraction(y []float64, s float64) float64 {
	largest := maxAbs(y)
	if largest == 0 || math.IsInf(largest, 1) {
		return 0
	}
	var sum float64
	for _, v := range y {
		u := v / largest
		sum += float64(u * u)
	}
	ratio := s / largest
	return min(ratio*(float64(len(y)-2)/sum)*ratio, math.MaxFloat64)
}

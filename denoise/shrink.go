package denoise

import "math"

// Soft moves the coefficients of a level towards 0 by t; coefficients that would pass 0 become 0. It returns the number
// of coefficients that are not 0 afterwards, averaged over shifts.
func (l *level) Soft(t float64) (df float64) {
	l.EachCoefficient(func(c *float64) {
		if math.Abs(*c) <= t {
			*c = 0
			return
		}
		*c -= math.Copysign(t, *c)
		df += l.weight
	})
	return df
}

// Shrink multiplies the coefficients of a level by the James–Stein factor max(1 − (N−2)·s²/S, 0), for N > 2
// coefficients with sum of squares S. N and S are averages over shifts. s > 0 is the standard deviation of the noise.
// Shrink returns the remaining degrees of freedom.
func (l *level) Shrink(s float64) (df float64) {
	var number, squares float64
	l.EachCoefficient(func(c *float64) {
		number += l.weight
		squares += l.weight * (*c * *c)
	})
	if number <= 2 {
		return number
	}
	factor := 0.0
	if pulled := (number - 2) * s * s; pulled < squares {
		factor = 1 - pulled/squares
		df = factor*number + 2*(1-factor)*l.noiseResponse()
	}
	l.EachCoefficient(func(c *float64) { *c *= factor })
	return df
}

// noiseResponse returns the fraction of a level's noise to which the James–Stein factor of the level responds:
// ‖P·z‖²/zᵀ·P·z for the level's average projection P and white noise z. It is 1 for orthonormal blocks. The average
// over shifts is a convolution with the autocorrelation of a Haar function of length L. This gives (1 + 5/L²)/3 in one
// dimension, and less in several dimensions.
func (l *level) noiseResponse() float64 {
	above := l.above[l.axis]
	if above.stride == above.size {
		return 1
	}
	return (1 + 5/float64(above.size)/float64(above.size)) / 3
}

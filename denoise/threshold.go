package denoise

import (
	"math"

	"github.com/dprelease/dprelease/denoise/internal/sure"
)

// HardThreshold replaces the values with |y_i| ≤ t by 0 and does not change the others. t is at least 0.
//
// y, the result and t have the same unit; y is not changed.
//
// Source: Donoho & Johnstone 1994.
func HardThreshold(y []float64, t float64) []float64 {
	return each(y, func(v float64) float64 {
		if math.Abs(v) <= t {
			return 0
		}
		return v
	})
}

// SUREThreshold returns the threshold for [SoftThreshold] at which Stein's estimate of the squared error is smallest,
// or the smallest such threshold if there are several. It is 0 or one of the |y_i|. s > 0 is the standard deviation of
// the noise. The time is O(d·log d).
//
// Source: Donoho & Johnstone, "Adapting to unknown smoothness via wavelet shrinkage", JASA 90, 1995.
func SUREThreshold(y []float64, s float64) float64 {
	v, ok := rescale(y, s)
	if !ok {
		return 0
	}
	return v.fromScaled(sure.Threshold(v.y, v.s))
}

// softFit returns the fit of soft thresholding at t. DF is the number of nonzero estimates.
func softFit(y []float64, t float64) Fit {
	f := Fit{X: SoftThreshold(y, t)}
	for _, v := range y {
		if math.Abs(v) > t {
			f.DF++
		}
	}
	return f
}

// smoothing is γ: the degrees of freedom of hard thresholding are smoothed over a width of γ·s. The result is exact for
// noise of standard deviation s·√(1+γ²), 3 % more than s.
const smoothing = 0.25

// hardFit returns the fit of hard thresholding at t. The estimates jump at t, so DF also depends on how many values are
// near t. DF is smoothed; with τ = γ·s, each value v adds
//
//	∂/∂v E[hard(v + τ·Z)] = P(|v + τ·Z| > t) + t/τ·(φ((t−v)/τ) + φ((t+v)/τ))
func hardFit(y []float64, s, t float64) Fit {
	f := Fit{X: HardThreshold(y, t)}
	for _, v := range y {
		f.DF += hardSlope(clampFar(v/s/smoothing), clampFar(t/s/smoothing))
	}
	return f
}

func hardSlope(v, t float64) float64 {
	if t == 0 {
		return 1
	}
	up, down := t-v, t+v
	stays := (math.Erfc(up/math.Sqrt2) + math.Erfc(down/math.Sqrt2)) / 2
	return stays + t*(density(up)+density(down))
}

// density is the density of the standard normal distribution.
func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// HardSUREThreshold returns the threshold for [HardThreshold] with the smallest estimated squared error, among
// multiples of s/8 up to 1.5 times the universal threshold. Stein's estimate does not hold for hard thresholding,
// because its estimates jump. So the error is estimated for noise that is 3 % larger, which smooths the jumps. s > 0 is
// the standard deviation of the noise.
func HardSUREThreshold(y []float64, s float64) float64 {
	v, ok := rescale(y, s)
	if !ok {
		return 0
	}
	best, least := 0.0, math.Inf(1)
	for t := 0.0; t <= 1.5*UniversalThreshold(len(y), v.s); t += v.s / 8 {
		if risk := hardFit(v.y, v.s, t).relativeRisk(v.y, v.s); risk < least {
			best, least = t, risk
		}
	}
	return v.fromScaled(best)
}

package selftest

import (
	"math"

	"github.com/dprelease/dprelease/internal/special"
)

// normal returns Phi(z), with full relative precision in the lower tail.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// normalQuantile returns Phi⁻¹(p); −Inf at 0 and +Inf at 1.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// chiSquareThreshold returns the x that a chi-square variable with this many degrees of freedom exceeds with
// probability level.
func chiSquareThreshold(freedom int, level float64) float64 {
	high := float64(freedom) + 10
	for special.GammaTail(float64(freedom)/2, high/2) > level {
		high *= 2
	}
	return bisect(0, high, func(x float64) bool { return special.GammaTail(float64(freedom)/2, x/2) <= level })
}

// proportionBound returns the upper Clopper–Pearson bound: the p at which P(Bin(n, p) <= k) = level.
func proportionBound(k, n int, level float64) float64 {
	if k >= n {
		return 1
	}
	// P(Bin(n, p) <= k) = I_{1−p}(n−k, k+1), which falls as p grows.
	return bisect(float64(k)/float64(n), 1, func(p float64) bool {
		return special.BetaShare(float64(n-k), float64(k+1),
			1-p) <= level
	})
}

// bisect returns the smallest float64 in [low, high] for which ok holds. ok must hold for all larger ones, too.
func bisect(low, high float64, ok func(float64) bool) float64 {
	for {
		mid := low + (high-low)/2
		switch {
		case mid <= low || mid >= high:
			return high
		case ok(mid):
			high = mid
		default:
			low = mid
		}
	}
}

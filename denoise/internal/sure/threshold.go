// Package sure chooses thresholds by Stein's unbiased risk estimate (Donoho & Johnstone, "Adapting to unknown
// smoothness via wavelet shrinkage", JASA 90, 1995).
package sure

import (
	"math"
	"slices"
)

// Threshold returns the soft threshold, among 0 and the absolute values of c, at which Stein's risk estimate Σ
// min(c²,t²) − N·s² + 2·s²·#{|c| > t} is least. If there are several, it returns the smallest one. c and t have the
// unit of s > 0. The time is O(N·log N).
func Threshold(c []float64, s float64) float64 {
	size := make([]float64, len(c))
	for i, v := range c {
		size[i] = math.Abs(v)
	}
	slices.Sort(size)
	// In units of s², without the constant −N. At the i-th smallest value, i values are at most t.
	best, least := 0.0, 2*float64(len(c))
	var sum float64
	for i, v := range size {
		u := v / s
		sum += float64(u * u)
		if i+1 < len(size) && size[i+1] == v {
			continue
		}
		rest := float64(len(size) - i - 1)
		if risk := sum + float64(rest*float64(float64(u*u)+2)); risk < least {
			best, least = v, risk
		}
	}
	return best
}

package graph

import (
	"math"
	"math/bits"

	"github.com/dprelease/dprelease/denoise/internal/sure"
)

// Rule says how wavelet coefficients are shrunk. The coefficients of the components' means are never shrunk.
type Rule int

const (
	// Levels multiplies the coefficients of sets of 2^j to 2^(j+1)−1 nodes by the positive-part James–Stein factor (1 −
	// (N−2)·s²/S)₊ of that level, which has N coefficients with sum of squares S. It needs no tuning.
	Levels Rule = iota
	// Universal soft-thresholds at s·√(2·ln n), as the papers do. It removes nearly everything if s is large.
	Universal
	// SUREThreshold soft-thresholds each tree at the threshold of least estimated risk (Stein).
	SUREThreshold
	// Given soft-thresholds at a given threshold.
	Given
)

// shrink shrinks the detail coefficients in place. It returns their divergence, and the threshold, which is 0 for
// Levels.
func (d *dendrogram) shrink(detail []float64, o WaveletOptions) (df, threshold float64) {
	switch o.Rule {
	case Levels:
		return d.shrinkLevels(detail, o.Sigma), 0
	case Universal:
		threshold = o.Sigma * math.Sqrt(2*math.Log(float64(d.n)))
	case SUREThreshold:
		threshold = sure.Threshold(detail, o.Sigma)
	default:
		threshold = o.Threshold
	}
	return soft(detail, threshold), threshold
}

// soft moves values towards 0 by t in place, and returns how many are not 0 afterwards.
func soft(c []float64, t float64) (df float64) {
	for i, v := range c {
		if math.Abs(v) > t {
			c[i] = v - math.Copysign(t, v)
			df++
		} else {
			c[i] = 0
		}
	}
	return df
}

// shrinkLevels applies the rule Levels. A level of N ≥ 3 has divergence N − (N−2)²·s²/S, or 0 if its factor is 0.
func (d *dendrogram) shrinkLevels(detail []float64, s float64) (df float64) {
	var count, sum, factor [32]float64
	for k, v := range detail {
		level := bits.Len32(uint32(d.size[k]))
		u := v / s
		count[level]++
		sum[level] += float64(u * u)
	}
	for level, n := range count {
		factor[level] = 1
		if n > 2 {
			factor[level] = max(0, 1-(n-2)/sum[level])
		}
		if factor[level] > 0 {
			df += n
			if n > 2 {
				df -= (n - 2) * (n - 2) / sum[level]
			}
		}
	}
	for k := range detail {
		detail[k] *= factor[bits.Len32(uint32(d.size[k]))]
	}
	return df
}

package graph

import (
	"math"

	"github.com/dprelease/dprelease/denoise/internal/sure"
)

// ThresholdRule is a rule for shrinking wavelet coefficients. The means of the components are never shrunk.
type ThresholdRule int

const (
	// Levels multiplies the coefficients of each level by a positive-part James–Stein factor, (1 − (N−2)·s²/S)₊. Level j
	// has the N coefficients of the sets of 2^j to 2^(j+1)−1 nodes; S is the sum of their squares. The rule needs no
	// tuning.
	Levels ThresholdRule = iota
	// Universal soft-thresholds all coefficients at s·√(2·ln n), the threshold of the literature. It removes nearly
	// everything if s is large.
	Universal
	// SUREThreshold soft-thresholds each tree at the threshold of least estimated risk (Stein).
	SUREThreshold
	// Given soft-thresholds at a given threshold.
	Given
)

// shrink shrinks the detail coefficients in place, for noise of standard deviation s. given is the threshold of the
// rule Given. It returns the divergence of the result, and the threshold, which is 0 for Levels.
func (r ThresholdRule) shrink(d *Dendrogram, detail []float64, s, given float64) (df, threshold float64) {
	switch r {
	case Levels:
		return d.ShrinkLevels(detail, s), 0
	case Universal:
		threshold = s * math.Sqrt(2*math.Log(float64(d.Nodes())))
	case SUREThreshold:
		threshold = sure.Threshold(detail, s)
	default:
		threshold = given
	}
	return soft(detail, threshold), threshold
}

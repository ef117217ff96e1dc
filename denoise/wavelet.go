package denoise

import (
	"fmt"

	"github.com/dprelease/dprelease/denoise/internal/sure"
)

// ThresholdRule is a rule for shrinking wavelet coefficients.
type ThresholdRule string

// The rules for shrinking wavelet coefficients. A level is the set of coefficients from blocks of one size.
const (
	// Universal is soft thresholding of all coefficients at s·sqrt(2·ln d).
	Universal ThresholdRule = "universal"
	// SURERule is soft thresholding of each level at its own threshold of smallest estimated error.
	SURERule ThresholdRule = "sure"
	// Level multiplies each level by its own positive-part James–Stein factor.
	Level ThresholdRule = "level"
	// Fixed is soft thresholding of all coefficients at a given threshold.
	Fixed ThresholdRule = "fixed"
)

// Wavelet holds the options of [Haar].
type Wavelet struct {
	Rule ThresholdRule
	// Threshold is the threshold of the rule Fixed, in the unit of the values.
	Threshold float64
	// Invariant is set if the estimate is the average over all shifts of the blocks. The average has fewer steps at
	// borders of blocks, where the true values have none.
	Invariant bool
}

// Haar estimates a table with ordered dimensions from its Haar coefficients, the differences of the means of
// neighbouring blocks of 1, 2, 4, … cells. It shrinks the coefficients and does not change the overall mean. Tables may
// have any size. If some dimensions have no order, the table of each combination of their values is transformed
// separately, with common thresholds. If w.Invariant is set, DF is the degrees of freedom of the average estimate;
// under [Level] its error may be up to 1 for each size of blocks.
//
// y and the result have one value per cell of the shape, and s > 0 is the standard deviation of their noise. y is not
// changed. The time is O(d·log d).
//
// Source: Donoho & Johnstone 1994 and 1995; Coifman & Donoho, "Translation-invariant de-noising", 1995; by level:
// Johnstone & Silverman, "Wavelet threshold estimators for data with correlated noise", JRSS B 59, 1997.
func Haar(y []float64, s float64, shape Shape, w Wavelet) (Fit, error) {
	if err := shape.check(); err != nil {
		return Fit{}, err
	}
	if shape.Cells() != len(y) {
		return Fit{}, wrongCells(shape, len(y))
	}
	return fitScaled(y, s, func(v scaled) Fit {
		h := newHaar(v.y, shape.Dims, shape.Ordered, w.Invariant)
		f := Fit{DF: tables(shape.Dims, shape.Ordered)}
		for i := range h.Levels {
			f.DF += shrinkLevel(&h.Levels[i], v, w)
		}
		f.X = h.Back()
		return f
	}), nil
}

func wrongCells(shape Shape, cells int) error {
	return &Error{Code: CodeShape, Message: fmt.Sprintf("a shape of %d cells for %d values", shape.Cells(), cells)}
}

// shrinkLevel shrinks the coefficients of a level by the rule and returns the remaining degrees of freedom.
func shrinkLevel(l *level, v scaled, w Wavelet) float64 {
	switch w.Rule {
	case Level:
		return l.Shrink(v.s)
	case SURERule:
		var all []float64
		l.EachCoefficient(func(c *float64) { all = append(all, *c) })
		return l.Soft(sure.Threshold(all, v.s))
	case Fixed:
		return l.Soft(min(v.toScaled(w.Threshold), farthest))
	default:
		return l.Soft(UniversalThreshold(len(v.y), v.s))
	}
}

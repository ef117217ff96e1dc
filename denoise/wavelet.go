package denoise

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/denoise/internal/sure"
)

// Rule says how wavelet coefficients are shrunk.
type Rule string

// The rules.
const (
	// Universal is soft thresholding of all coefficients at s·sqrt(2·ln d).
	Universal Rule = "universal"
	// SURERule is soft thresholding of each level at its own threshold of smallest estimated error.
	SURERule Rule = "sure"
	// Level multiplies each level by its own positive-part James–Stein factor.
	Level Rule = "level"
	// Fixed is soft thresholding of all coefficients at a given threshold.
	Fixed Rule = "fixed"
)

// Wavelet says how [Haar] denoises.
type Wavelet struct {
	Rule Rule
	// Threshold is the threshold of the rule Fixed, in the unit of the values.
	Threshold float64
	// Invariant averages over all shifts of the blocks, which shows fewer steps that are not in the truth.
	Invariant bool
}

// Haar returns the estimate of a table with ordered dimensions from its Haar coefficients, the differences of the means
// of neighbouring blocks of 1, 2, 4, … cells. It shrinks the coefficients and keeps the means of whole tables. Tables
// may have any size. Lines or grids that are separate in dimensions without an order share their thresholds. If
// w.Invariant is set, DF is that of the average; under [Level] it may be off by less than 1 for each size of blocks.
//
// y and the result have one value per cell of the shape, s > 0 is the standard deviation of their noise; y is not
// changed. O(d·log d).
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
		h := transform(v.y, shape, w.Invariant)
		f := Fit{DF: tables(shape)}
		for i := range h.levels {
			f.DF += h.levels[i].shrink(v, w)
		}
		f.X = h.back()
		return f
	}), nil
}

func wrongCells(shape Shape, cells int) error {
	return &Error{Code: CodeShape, Message: fmt.Sprintf("a shape of %d cells for %d values", shape.Cells(), cells)}
}

// shrink shrinks the coefficients of a level and returns their degrees of freedom.
func (l *level) shrink(v scaled, w Wavelet) float64 {
	switch w.Rule {
	case Level:
		return l.shrinkLevel(v.s)
	case SURERule:
		var all []float64
		l.eachCoefficient(func(c *float64) { all = append(all, *c) })
		return l.soft(sure.Threshold(all, v.s))
	case Fixed:
		return l.soft(min(v.in(w.Threshold), farthest))
	default:
		return l.soft(UniversalThreshold(len(v.y), v.s))
	}
}

func (l *level) soft(t float64) (df float64) {
	l.eachCoefficient(func(c *float64) {
		if math.Abs(*c) <= t {
			*c = 0
			return
		}
		*c -= math.Copysign(t, *c)
		df += l.weight
	})
	return df
}

// shrinkLevel multiplies a level of N coefficients with squares S by max(1 − (N−2)·s²/S, 0), for N > 2; N and S are
// averages over shifts.
func (l *level) shrinkLevel(s float64) (df float64) {
	var number, squares float64
	l.eachCoefficient(func(c *float64) {
		number += l.weight
		squares += l.weight * (*c * *c)
	})
	if number <= 2 {
		return number
	}
	factor := 0.0
	if pulled := (number - 2) * s * s; pulled < squares {
		factor = 1 - pulled/squares
		df = factor*number + 2*(1-factor)*l.echo()
	}
	l.eachCoefficient(func(c *float64) { *c *= factor })
	return df
}

// echo is the share of a level's own noise to which its factor responds, ‖P·z‖²/zᵀ·P·z for the level's average
// projection P and white noise z. It is 1 for orthonormal blocks. The average over shifts is a convolution with the
// autocorrelation of a Haar function of length L, which leaves (1 + 5/L²)/3 in one dimension and less in more.
func (l *level) echo() float64 {
	above := l.above[l.axis]
	if above.stride == above.size {
		return 1
	}
	return (1 + 5/float64(above.size)/float64(above.size)) / 3
}

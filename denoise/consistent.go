package denoise

import (
	"fmt"
	"math"
)

// maxDims bounds the number of dimensions, since the computation visits every subset of them.
const maxDims = 20

// Margin is a released table of sums of the cells over some of the dimensions.
type Margin struct {
	// Axes are the dimensions that are not summed over, in ascending order. It is empty for the total of all cells.
	Axes []int
	// Values holds the margin's noisy cells, row by row, in the cells' unit.
	Values []float64
	// Deviation is the standard deviation of the noise of Values, above 0, in the same unit.
	Deviation float64
}

// Consistent returns the table that agrees best with a noisy table and its noisy margins, by least squares with the
// inverse variances as weights:
//
//	argmin_x ‖y − x‖²/s² + Σ_m ‖z_m − M_m·x‖²/s_m²
//
// Here z_m holds the values of margin m, and M_m·x the margin m of the table x. The margins of the result are the
// estimates of the margins, so all tables add up. The result is linear and unbiased, and no linear unbiased estimate is
// more accurate. deviation is the standard deviation of every cell of the result. All noises must be independent.
//
// y has one value per cell of the shape and is not changed; s > 0 is the standard deviation of its noise. The time is
// O(d), for d cells, for every subset of dimensions that occurs in a margin. Errors: an [*Error] if a margin does not
// fit the shape.
//
// Source: generalised least squares (Aitken 1936); the margins of a product of dimensions share the eigenspaces of the
// analysis of variance, so every effect is a weighted mean of its estimates. For private tables: Hay, Rastogi, Miklau &
// Suciu, "Boosting the accuracy of differentially private histograms through consistency", VLDB 2010.
func Consistent(y []float64, s float64, shape Shape, margins []Margin) (x []float64, deviation float64, err error) {
	if err := shape.checkEffects(); err != nil {
		return nil, 0, err
	}
	if shape.Cells() != len(y) {
		return nil, 0, wrongCells(shape, len(y))
	}
	for i, m := range margins {
		if err := m.check(shape); err != nil {
			return nil, 0, fmt.Errorf("margin %d: %w", i+1, err)
		}
	}
	// rescale, so that nothing overflows
	largest := max(maxAbs(y), math.SmallestNonzeroFloat64)
	for _, m := range margins {
		largest = max(largest, maxAbs(m.Values))
	}
	v, _ := rescale(y, largest)
	scaled := make([]margin, len(margins))
	for i, m := range margins {
		scaled[i] = margin{Axes: m.Axes, Values: each(m.Values, v.toScaled), Weight: m.weight(s)}
	}
	x, variance := adjust(v.y, shape.Dims, scaled)
	return each(x, v.fromScaled), s * math.Sqrt(variance/float64(len(y))), nil
}

// ConsistentDeviation returns the standard deviation of every cell of the result of [Consistent]. It does not read the
// values of the margins. Its errors are the same as Consistent's.
func ConsistentDeviation(s float64, shape Shape, margins []Margin) (float64, error) {
	if err := shape.checkEffects(); err != nil {
		return 0, err
	}
	weights := make([]margin, len(margins))
	for i, m := range margins {
		if _, err := m.cells(shape); err != nil {
			return 0, fmt.Errorf("margin %d: %w", i+1, err)
		}
		weights[i] = margin{Axes: m.Axes, Weight: m.weight(s)}
	}
	return s * math.Sqrt(adjustedVariance(shape.Dims, weights)/float64(shape.Cells())), nil
}

// checkEffects returns an error if the shape is not valid, or has so many dimensions that their subsets cannot be
// visited.
func (s Shape) checkEffects() error {
	if err := s.check(); err != nil {
		return err
	}
	if len(s.Dims) > maxDims {
		return &Error{Code: CodeShape, Message: fmt.Sprintf("%d dimensions, at most %d", len(s.Dims), maxDims)}
	}
	return nil
}

// weight returns the noise variance of a cell, s², divided by the noise variance of the margin.
func (m Margin) weight(s float64) float64 {
	ratio := max(1e-100, min(s/m.Deviation, 1e100))
	return ratio * ratio
}

func (m Margin) check(shape Shape) error {
	cells, err := m.cells(shape)
	if err == nil && len(m.Values) != cells {
		return &Error{Code: CodeShape, Message: fmt.Sprintf("%d values for %d cells", len(m.Values), cells)}
	}
	return err
}

// cells returns the number of the margin's values, or an error if it does not fit the shape.
func (m Margin) cells(shape Shape) (int, error) {
	cells := 1
	for i, axis := range m.Axes {
		if axis < 0 || axis >= len(shape.Dims) || (i > 0 && axis <= m.Axes[i-1]) {
			return 0, &Error{Code: CodeShape, Message: "its dimensions are not among the table's, in rising order"}
		}
		cells *= shape.Dims[axis]
	}
	if !(m.Deviation > 0) || math.IsInf(m.Deviation, 1) {
		return 0, &Error{Code: CodeBadValue, Message: "the deviation of its noise is not a number above 0"}
	}
	return cells, nil
}

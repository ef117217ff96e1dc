package denoise

import (
	"fmt"
	"math"
	"slices"
)

// maxDims bounds the number of dimensions: every subset of them is an effect.
const maxDims = 20

// Margin is a released table of sums of the cells over some of the dimensions.
type Margin struct {
	// Axes are the dimensions that it keeps, in ascending order; empty for the total of all cells.
	Axes []int
	// Values are its noisy cells, row by row, in the cells' unit.
	Values []float64
	// Deviation is the standard deviation of their noise, which is above 0, in the same unit.
	Deviation float64
}

// Consistent returns the cells that agree best with a noisy table and its noisy margins, by least squares with weights
// that are one over the variances:
//
//	argmin_x ‖y − x‖²/s² + Σ_m ‖z_m − M_m·x‖²/s_m²
//
// Here M_m sums cells. The margins of the result are the estimates of the margins, so that tables add up. The result is
// linear and unbiased, and no linear unbiased estimate is more accurate. deviation is the standard deviation of every
// cell of the result. All noises must be independent.
//
// y has one value per cell of the shape; s > 0 is the deviation of its noise; y is not changed. O(d) for every set of
// dimensions that a margin keeps. Errors: an [*Error] if a margin does not fit the shape.
//
// Source: generalised least squares (Aitken 1936); the margins of a product of dimensions share the eigenspaces of the
// analysis of variance, so every effect is a weighted mean of its estimates. For private tables: Hay, Rastogi, Miklau &
// Suciu, "Boosting the accuracy of differentially private histograms through consistency", VLDB 2010.
func Consistent(y []float64, s float64, shape Shape, margins []Margin) (x []float64, deviation float64, err error) {
	if err := shape.check(); err != nil {
		return nil, 0, err
	}
	if shape.Cells() != len(y) {
		return nil, 0, wrongCells(shape, len(y))
	}
	if len(shape.Dims) > maxDims {
		return nil, 0, &Error{Code: CodeShape, Message: fmt.Sprintf("%d dimensions, at most %d", len(shape.Dims), maxDims)}
	}
	for i, m := range margins {
		if err := m.check(shape); err != nil {
			return nil, 0, fmt.Errorf("margin %d: %w", i+1, err)
		}
	}
	a, out := newAdjustment(y, s, shape, margins)
	for effect := range 1 << len(shape.Dims) {
		a.correctEffect(effect)
	}
	return each(a.x, out), s * math.Sqrt(a.variance/float64(len(y))), nil
}

func (m Margin) check(shape Shape) error {
	cells := 1
	for i, axis := range m.Axes {
		if axis < 0 || axis >= len(shape.Dims) || (i > 0 && axis <= m.Axes[i-1]) {
			return &Error{Code: CodeShape, Message: "its dimensions are not among the table's, in rising order"}
		}
		cells *= shape.Dims[axis]
	}
	if len(m.Values) != cells {
		return &Error{Code: CodeShape, Message: fmt.Sprintf("%d values for %d cells", len(m.Values), cells)}
	}
	if !(m.Deviation > 0) || math.IsInf(m.Deviation, 1) {
		return &Error{Code: CodeBadValue, Message: "the deviation of its noise is not a number above 0"}
	}
	return nil
}

// adjustment corrects a table, effect by effect, to agree with its margins.
type adjustment struct {
	shape    Shape
	y, x     []float64
	margins  []Margin
	weights  []float64 // of the margins' values: s²/s_m²
	variance float64   // of all cells together, in units of s²
}

// newAdjustment converts the tables to a unit in which nothing overflows; out converts back.
func newAdjustment(y []float64, s float64, shape Shape, margins []Margin) (a adjustment, out func(float64) float64) {
	largest := max(maxAbs(y), math.SmallestNonzeroFloat64)
	for _, m := range margins {
		largest = max(largest, maxAbs(m.Values))
	}
	v, _ := rescale(y, largest)
	a = adjustment{shape: shape, y: v.y, x: slices.Clone(v.y), margins: slices.Clone(margins)}
	for i, m := range margins {
		a.margins[i].Values = each(m.Values, v.in)
		ratio := max(1e-100, min(s/m.Deviation, 1e100))
		a.weights = append(a.weights, ratio*ratio)
	}
	return a, v.out
}

// correctEffect corrects one effect, the interaction of the dimensions that are set in it: the share of a table that
// sums to 0 along each of them and is constant along the others. Its estimate from y and from every margin that keeps
// those dimensions is
//
//	(ȳ/s² + Σ z̄_m/s_m²) / (1/s² + Σ r_m/s_m²)
//
// with the effects of means over the other dimensions, and r_m cells summed into each value of a margin.
func (a *adjustment) correctEffect(effect int) {
	precision := 1.0
	var told []float64
	for i, m := range a.margins {
		if !m.tells(effect) {
			continue
		}
		precision += a.weights[i] * float64(a.shape.Cells()/len(m.Values))
		value := a.effect(m.Values, m.Axes, effect)
		if told == nil {
			told = make([]float64, len(value))
		}
		for k, v := range value {
			told[k] += float64(a.weights[i] * v)
		}
	}
	a.variance += a.free(effect) / precision
	if told == nil {
		return
	}
	for k, own := range a.effect(a.y, allAxes(len(a.shape.Dims)), effect) {
		told[k] = (told[k]+own)/precision - own
	}
	a.spread(told, effect)
}

func allAxes(dims int) []int {
	axes := make([]int, dims)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

func (m Margin) tells(effect int) bool {
	kept := 0
	for _, axis := range m.Axes {
		kept |= 1 << axis
	}
	return effect&^kept == 0
}

// effect returns the effect of a table with the given dimensions: means over the dimensions that are not in effect, and
// deviations from the mean along those that are.
func (a *adjustment) effect(values []float64, axes []int, effect int) []float64 {
	out := slices.Clone(values)
	inner := 1
	for _, axis := range slices.Backward(axes) {
		size := a.shape.Dims[axis]
		keep := effect&(1<<axis) != 0
		out = centre(out, inner, size, keep)
		if keep {
			inner *= size
		}
	}
	return out
}

// centre returns the means along a dimension of the given size, or the deviations from them. inner is the number of
// values in one step along it.
func centre(values []float64, inner, size int, deviations bool) []float64 {
	means := make([]float64, len(values)/size)
	for i, v := range values {
		means[i/(inner*size)*inner+i%inner] += v / float64(size)
	}
	if !deviations {
		return means
	}
	for i := range values {
		values[i] -= means[i/(inner*size)*inner+i%inner]
	}
	return values
}

// spread adds an effect to the cells.
func (a *adjustment) spread(value []float64, effect int) {
	for i := range a.x {
		at, stride, rest := 0, 1, i
		for axis, size := range slices.Backward(a.shape.Dims) {
			if effect&(1<<axis) != 0 {
				at += rest % size * stride
				stride *= size
			}
			rest /= size
		}
		a.x[i] += value[at]
	}
}

// free returns an effect's number of free values.
func (a *adjustment) free(effect int) float64 {
	free := 1.0
	for axis, size := range a.shape.Dims {
		if effect&(1<<axis) != 0 {
			free *= float64(size - 1)
		}
	}
	return free
}

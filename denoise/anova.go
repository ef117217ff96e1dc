package denoise

import "slices"

// This file makes a table and its margins agree, by the analysis of variance. An effect is the interaction of some of
// the dimensions. The table and each margin give an estimate of an effect, and the result has the weighted mean of
// these estimates.

// margin is a table of sums over some of the dimensions: it has one sum for each combination of values of the other
// dimensions.
type margin struct {
	// Axes are the dimensions that are not summed over, in ascending order.
	Axes []int
	// Values holds the sums row by row, in the cells' unit.
	Values []float64
	// Weight is the noise variance of a cell of the full table, divided by the noise variance of an item of Values.
	Weight float64
}

// adjust returns the table that agrees best with y and its margins, by weighted least squares. dims holds the number of
// cells along each dimension. variance is the sum of the variances of all cells, divided by the variance of a cell of
// y. The time is O(d), for d cells, for every subset of dimensions that occurs in a margin.
func adjust(y []float64, dims []int, margins []margin) (x []float64, variance float64) {
	a := adjustment{dims: dims, y: y, x: slices.Clone(y), margins: margins}
	for effect := range 1 << len(dims) {
		a.correctEffect(effect)
	}
	return a.x, adjustedVariance(dims, margins)
}

// adjustedVariance returns the sum of the variances of all cells of adjust's result, divided by the variance of a cell
// of y.
func adjustedVariance(dims []int, margins []margin) (variance float64) {
	a := adjustment{dims: dims, margins: margins}
	for effect := range 1 << len(dims) {
		variance += a.degreesOfFreedom(effect) / a.precision(effect)
	}
	return variance
}

// adjustment holds the input of adjust, and x, the table whose effects are corrected one after the other.
type adjustment struct {
	dims    []int
	y, x    []float64
	margins []margin
}

// correctEffect corrects one effect of the table. The bits of effect are a set of dimensions. The effect is the part of
// the table that sums to 0 along each of these dimensions and is constant along the others. Its estimate from y and
// from every margin whose axes include these dimensions is
//
//	(ȳ/s² + Σ z̄_m/s_m²) / (1/s² + Σ r_m/s_m²)
//
// ȳ and z̄_m are the effects of the means over the other dimensions. Each value of margin m is the sum of r_m cells.
func (a *adjustment) correctEffect(effect int) {
	precision := a.precision(effect)
	var told []float64
	for _, m := range a.margins {
		if !m.tells(effect) {
			continue
		}
		value := a.effect(m.Values, m.Axes, effect)
		if told == nil {
			told = make([]float64, len(value))
		}
		for k, v := range value {
			told[k] += float64(m.Weight * v)
		}
	}
	if told == nil {
		return
	}
	for k, own := range a.effect(a.y, allAxes(len(a.dims)), effect) {
		told[k] = (told[k]+own)/precision - own
	}
	a.spread(told, effect)
}

// precision returns the inverse variance of an effect's estimate, divided by the inverse variance of its estimate from
// y alone.
func (a *adjustment) precision(effect int) float64 {
	precision := 1.0
	for _, m := range a.margins {
		if m.tells(effect) {
			summed := 1 // the number of cells in each sum of the margin
			for axis, size := range a.dims {
				if !slices.Contains(m.Axes, axis) {
					summed *= size
				}
			}
			precision += m.Weight * float64(summed)
		}
	}
	return precision
}

func allAxes(dims int) []int {
	axes := make([]int, dims)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

func (m margin) tells(effect int) bool {
	kept := 0
	for _, axis := range m.Axes {
		kept |= 1 << axis
	}
	return effect&^kept == 0
}

// effect returns one effect of the analysis of variance of a table that has the dimensions axes. effect is a set of
// dimensions, as bits: along these dimensions it takes differences from the mean, and over all others the mean.
func (a *adjustment) effect(values []float64, axes []int, effect int) []float64 {
	out := slices.Clone(values)
	inner := 1
	for _, axis := range slices.Backward(axes) {
		size := a.dims[axis]
		keep := effect&(1<<axis) != 0
		out = centre(out, inner, size, keep)
		if keep {
			inner *= size
		}
	}
	return out
}

// centre returns the means along a dimension of the given size, or the differences from these means. inner is the
// difference between the indices of two neighbours along the dimension.
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

// spread adds an effect to all cells. The effect is constant along the dimensions that are not in it.
func (a *adjustment) spread(value []float64, effect int) {
	for i := range a.x {
		at, stride, rest := 0, 1, i
		for axis, size := range slices.Backward(a.dims) {
			if effect&(1<<axis) != 0 {
				at += rest % size * stride
				stride *= size
			}
			rest /= size
		}
		a.x[i] += value[at]
	}
}

// degreesOfFreedom returns the dimension of the space of tables that consist of this effect alone.
func (a *adjustment) degreesOfFreedom(effect int) float64 {
	free := 1.0
	for axis, size := range a.dims {
		if effect&(1<<axis) != 0 {
			free *= float64(size - 1)
		}
	}
	return free
}

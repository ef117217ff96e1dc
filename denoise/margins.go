package denoise

import "github.com/dprelease/dprelease/internal/mechanism"

// Marginal is a released margin of a table; see [Margin].
type Marginal struct {
	Axes  []int
	Noisy mechanism.Noisy
}

// stepConsistent is the name of [MakeConsistent] in a vector's list of steps.
const stepConsistent = "consistent"

// MakeConsistent makes a table and its margins agree by [Consistent], as one more step of each, and returns them. They
// may have been through other steps before. The weights follow the noise with which each was released.
func MakeConsistent(table mechanism.Noisy, shape Shape, margins []Marginal) (mechanism.Noisy, []mechanism.Noisy,
	error) {
	fixed := make([]Margin, len(margins))
	for i, m := range margins {
		fixed[i] = Margin{Axes: m.Axes, Values: make([]float64, m.Noisy.Len()), Deviation: m.Noisy.Mechanism().Deviation()}
		m.Noisy.Fill(0, fixed[i].Values)
	}
	var x []float64
	table, err := table.Then(stepConsistent, func(y []float64) (out []float64, err error) {
		x, _, err = Consistent(y, table.Mechanism().Deviation(), shape, fixed)
		return x, err
	})
	out := make([]mechanism.Noisy, len(margins))
	for i := 0; i < len(margins) && err == nil; i++ {
		out[i], err = margins[i].Noisy.Then(stepConsistent, func([]float64) ([]float64, error) {
			return shape.sums(x, margins[i].Axes), nil
		})
	}
	return table, out, err
}

// sums returns the sums of the cells over all dimensions except axes.
func (s Shape) sums(x []float64, axes []int) []float64 {
	cells := 1
	for _, axis := range axes {
		cells *= s.Dims[axis]
	}
	out := make([]float64, cells)
	for i, v := range x {
		at := 0
		for _, axis := range axes {
			at = at*s.Dims[axis] + i/s.stride(axis)%s.Dims[axis]
		}
		out[at] += v
	}
	for i, v := range out {
		out[i] = publishable(v)
	}
	return out
}

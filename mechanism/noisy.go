package mechanism

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
)

// viewCells is the number of cells in a block of [Noisy.Blocks].
const viewCells = 1 << 16

// Noisy is a released vector, public and unchangeable. Only [Exact.Noise] and [Noisy.Then] make one that has cells.
type Noisy struct {
	mechanism calibrate.Mechanism
	units     []int64   // in multiples of the grid, as they were drawn; nil after a step
	values    []float64 // after a step
	steps     []string
}

// Len returns the number of cells.
func (n Noisy) Len() int { return max(len(n.units), len(n.values)) }

// Mechanism returns the mechanism that made the vector.
func (n Noisy) Mechanism() calibrate.Mechanism { return n.mechanism }

// Steps returns the names of the post-processing steps, in order.
func (n Noisy) Steps() []string { return slices.Clone(n.steps) }

// Fill copies the values of the cells from start on into dst, in the unit of the query. Where the vector ends first, the
// rest of dst is left as it is; a start outside the vector copies nothing.
func (n Noisy) Fill(start int, dst []float64) {
	if start < 0 || start >= n.Len() {
		return
	}
	if n.units == nil {
		copy(dst, n.values[start:])
		return
	}
	for i, k := range n.units[start:min(n.Len(), start+len(dst))] {
		dst[i] = float64(k) * n.mechanism.Grid // rounded once, to 53 bits: post-processing
	}
}

// Blocks yields the values in order, block by block, with the index of each block's first cell. A block is valid until the
// next one: the slice is used again.
func (n Noisy) Blocks() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		block := make([]float64, min(viewCells, n.Len()))
		for start := 0; start < n.Len(); start += viewCells {
			block = block[:min(viewCells, n.Len()-start)]
			n.Fill(start, block)
			if !yield(start, block) {
				return
			}
		}
	}
}

// Then applies a named post-processing step to the whole vector and returns the result as a new Noisy; n stays as it is.
// f receives a copy that it may change and return. ErrStep where n is empty, the step has no name or function, or f
// changes the number of cells or returns a value that is not finite; f's own error is wrapped.
func (n Noisy) Then(step string, f func([]float64) ([]float64, error)) (Noisy, error) {
	if step == "" || f == nil || n.Len() == 0 {
		return Noisy{}, ErrStep
	}
	in := make([]float64, n.Len())
	n.Fill(0, in)
	out, err := f(in)
	if err != nil {
		return Noisy{}, fmt.Errorf("step %q: %w", step, err)
	}
	if len(out) != n.Len() {
		return Noisy{}, fmt.Errorf("%w: %q returns %d values for %d cells", ErrStep, step, len(out), n.Len())
	}
	if !finite(out) {
		return Noisy{}, fmt.Errorf("%w: %q returns a value that is not finite", ErrStep, step)
	}
	steps := append(slices.Clip(n.steps), step)
	return Noisy{mechanism: n.mechanism, values: slices.Clone(out), steps: steps}, nil
}

func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

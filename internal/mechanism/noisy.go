package mechanism

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
)

const viewCells = 1 << 16

// Noisy is a released vector: public and immutable. It comes from [AddNoise], or from [Published] with values that were
// released before; [Noisy.Then] and [Noisy.ThenEach] return changed copies. A vector of very many cells is not held in
// memory but drawn again whenever it is read, with the same values each time. The exact answers and the keys from which
// it is drawn stay in memory, hidden in a closure, as long as the Noisy.
type Noisy struct {
	mechanism calibrate.Mechanism
	multiples []int64   // the noisy values as multiples of the grid, as they were drawn; nil after a step
	values    []float64 // the values after a post-processing step; nil before
	open      func() *stream
	each      []func([]float64) // post-processing steps that are applied when a stream is read
	steps     []string
	keys      []string // the cells' keys if SelectKeys chose them, else nil
	// selection describes how the keys were selected, if they were.
	selection calibrate.KeySelection
	synthetic bool // Synthetic or SyntheticKeys made the vector; it is not about any data
}

// IsSynthetic reports whether Synthetic or SyntheticKeys made the vector: it is not about any data, and no charge paid
// for it.
func (n Noisy) IsSynthetic() bool { return n.synthetic }

// Len returns the number of cells.
func (n Noisy) Len() int {
	if n.open != nil {
		return n.open().size
	}
	return max(len(n.multiples), len(n.values))
}

// Normal reports whether the noise is Gaussian, with the mechanism's sigma.
func (n Noisy) Normal() bool { return n.mechanism.Noise == calibrate.Gaussian }

// Mechanism returns the mechanism that made the vector.
func (n Noisy) Mechanism() calibrate.Mechanism { return n.mechanism }

// Steps returns the names of the post-processing steps, in order.
func (n Noisy) Steps() []string { return slices.Clone(n.steps) }

// Keys returns the keys that SelectKeys selected, in the order of the cells; nil if the cells have no such keys.
func (n Noisy) Keys() []string { return slices.Clone(n.keys) }

// Selection returns how the keys were selected: those whose noisy counts reach its threshold. ok is false if no keys
// were selected.
func (n Noisy) Selection() (s calibrate.KeySelection, ok bool) { return n.selection, n.keys != nil }

// keepAtLeast returns n with only the cells whose noisy value, in grid units, is at least the threshold multiples, and
// with the keys of these cells. It clears the values of all other cells, and the slice keys.
func (n Noisy) keepAtLeast(multiples int64, keys []string, s calibrate.KeySelection) Noisy {
	kept := []string{}
	for i, x := range n.multiples {
		if x >= multiples {
			n.multiples[len(kept)] = x
			kept = append(kept, keys[i])
		}
	}
	clear(n.multiples[len(kept):])
	clear(keys)
	n.multiples, n.keys, n.selection = n.multiples[:len(kept):len(kept)], kept, s
	return n
}

// Fill copies values into dst, starting with cell start, in the unit of the query. If the vector is too short, the rest
// of dst stays unchanged. If start is outside the vector, nothing is copied.
func (n Noisy) Fill(start int, dst []float64) {
	if start < 0 || start >= n.Len() {
		return
	}
	switch dst = dst[:min(len(dst), n.Len()-start)]; {
	case n.open != nil:
		n.fillFromStream(start, dst)
	case n.multiples != nil:
		n.convert(n.multiples[start:], dst)
	default:
		copy(dst, n.values[start:])
	}
}

// convert fills dst with multiples converted from grid units to the unit of the query.
func (n Noisy) convert(multiples []int64, dst []float64) {
	for i, k := range multiples[:len(dst)] {
		dst[i] = float64(k) * n.mechanism.Grid // the rounding to 53 bits is post-processing
	}
}

// fillFromStream does the same as Fill for a stream. start and the end of dst must be inside the vector.
func (n Noisy) fillFromStream(start int, dst []float64) {
	for s := n.open(); len(dst) > 0; {
		values := s.valuesFrom(start)
		if values == nil { // the cipher cannot be made; it could be made before the noise was drawn
			fillNaN(dst)
			return
		}
		done := copy(dst, values)
		start, dst = start+done, dst[done:]
	}
}

// readFrom returns n as a vector that reads the cells of s. The steps of n are applied whenever they are read.
func (n Noisy) readFrom(s *stream) Noisy {
	mine := s.withFinish(func(multiples []int64, values []float64) {
		n.convert(multiples, values)
		for _, f := range n.each {
			f(values)
		}
	})
	n.open = func() *stream { return mine }
	return n
}

func fillNaN(dst []float64) {
	for i := range dst {
		dst[i] = math.NaN()
	}
}

// Blocks yields the values in order, block by block, with the index of each block's first cell. A block is valid until
// the next one, because they share a slice.
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

// Then applies a named post-processing step to the whole vector and returns the result; n stays unchanged. f receives a
// copy that it may change and return. Then returns ErrStep if n is empty, if the step has no name or function, or if f
// changes the number of cells or returns a value that is not finite; it wraps an error of f.
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
	return n.withValues(step, slices.Clone(out))
}

// withValues returns n with the values that a step returned. It takes the slice over.
func (n Noisy) withValues(step string, values []float64) (Noisy, error) {
	if !finite(values) {
		return Noisy{}, fmt.Errorf("%w: %q returns a value that is not finite", ErrStep, step)
	}
	n.multiples, n.values, n.open, n.each = nil, values, nil, nil
	n.steps = append(slices.Clip(n.steps), step)
	return n, nil
}

// ThenEach applies a named post-processing step that treats each cell separately, and returns the result; n stays
// unchanged. f changes values of consecutive cells in place, to finite values. It may be called at any time and from
// several goroutines, and must not keep the slice. If n is a stream, the step is applied whenever the result is read.
// ErrStep as for [Noisy.Then].
func (n Noisy) ThenEach(step string, f func(values []float64)) (Noisy, error) {
	if step == "" || f == nil || n.Len() == 0 {
		return Noisy{}, ErrStep
	}
	if n.open != nil {
		n.each = append(slices.Clip(n.each), f)
		n.steps = append(slices.Clip(n.steps), step)
		return n.readFrom(n.open()), nil
	}
	values := make([]float64, n.Len())
	n.Fill(0, values)
	for block := range slices.Chunk(values, viewCells) {
		f(block)
	}
	return n.withValues(step, values)
}

func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

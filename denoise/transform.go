package denoise

import (
	"math"
	"slices"
)

// This file transforms tables of any size into Haar coefficients, the differences of the means of neighbouring blocks,
// and back (transform.go). shrink.go shrinks the coefficients level by level.

// blocks describes all blocks of one size along one dimension. Block k holds the size cells from first + k·stride on,
// except those outside of the dimension. An orthonormal transform has the blocks that start at 0, size, 2·size, …. The
// invariant transform averages over all shifts of these blocks. So a block starts at every cell, and each shift uses
// one of period successive blocks.
type blocks struct {
	cells                       int // the number of cells in the dimension
	first, stride, size, number int
	period                      int
	done                        bool // the next larger blocks would be the same as these
}

func single(cells int, ordered bool) blocks {
	return blocks{cells: cells, stride: 1, size: 1, number: cells, period: 1, done: !ordered || cells == 1}
}

// next returns the blocks of twice the size. The largest invariant blocks start at or before cell 0 and hold all cells:
// one block for each shift.
func (b blocks) next(invariant bool) blocks {
	n := blocks{cells: b.cells, size: 2 * b.size}
	if !invariant {
		n.stride, n.period = n.size, 1
		n.number = (b.cells + n.size - 1) / n.size
		n.done = n.number == 1
		return n
	}
	n.stride, n.period, n.first, n.number = 1, n.size, 1-n.size, b.cells+n.size-1
	if n.done = b.size >= b.cells; n.done {
		n.first, n.number, n.period = 1-b.size, b.size, b.size
	}
	return n
}

// index returns the index of the block that starts at a cell, or −1 if there is no such block.
func (b blocks) index(start int) int {
	k := (start - b.first) / b.stride
	if start < b.first || k >= b.number {
		return -1
	}
	return k
}

// cellsIn returns the number of cells in block k.
func (b blocks) cellsIn(k int) int {
	start := b.first + k*b.stride
	return min(b.cells, start+b.size) - max(0, start)
}

// level is one level of a Haar transform: pairs of neighbouring blocks along one dimension. The coefficient of a pair
// of blocks with a and b cells is sqrt(ab/(a+b))·(mean of the first − mean of the second). With this factor, all levels
// and the overall mean form an orthonormal basis. A pair with an empty block has no coefficient.
type level struct {
	axis           int
	below, above   []blocks // the blocks of every dimension, before and after pairs are joined
	coefficients   []float64
	weight         float64 // the fraction of all shifts in which a pair occurs
	invariantPairs bool    // each block belongs to two pairs
}

// transform is a Haar transform of a table of any size. It is either orthonormal, or an average over all shifts of the
// blocks, which is translation-invariant. Cells that differ in a dimension without an order are transformed separately.
//
// Source: Haar 1910; the average over shifts: Coifman & Donoho, "Translation-invariant de-noising", 1995. Unlike there,
// blocks end at the first and the last cell instead of continuing periodically, so that these two cells are not
// neighbours.
type transform struct {
	Levels []level   // from the smallest blocks to the largest
	roots  []float64 // the means of the largest blocks
}

// newHaar computes the transform of a table with dims cells along its dimensions, listed row by row. ordered[i] is set
// if dimension i has an order. The time is O(d·log d).
func newHaar(y []float64, dims []int, ordered []bool, invariant bool) *transform {
	state := make([]blocks, len(dims))
	for i, d := range dims {
		state[i] = single(d, ordered[i])
	}
	h, means := &transform{}, y
	for axis := nextAxis(state); axis >= 0; axis = nextAxis(state) {
		above := slices.Clone(state)
		above[axis] = state[axis].next(invariant)
		l := level{axis: axis, below: state, above: above, weight: 1, invariantPairs: invariant && !above[axis].done}
		for _, b := range above {
			l.weight /= float64(b.period)
		}
		means = l.split(means)
		h.Levels = append(h.Levels, l)
		state = above
	}
	h.roots = means
	return h
}

// nextAxis returns the dimension whose blocks are joined next: the last of the dimensions with the smallest blocks.
func nextAxis(state []blocks) int {
	axis := -1
	for i, b := range state {
		if !b.done && (axis < 0 || b.size <= state[axis].size) {
			axis = i
		}
	}
	return axis
}

// pairs calls f for each pair of neighbouring blocks along the level's axis that the next level joins. f gets the index
// of the pair, the indices of the two blocks (−1 for an empty block), and their numbers of cells, a and b.
func (l *level) pairs(f func(pair, left, right int, a, b float64)) {
	outer, inner := blockSizes(l.above[:l.axis]), blockSizes(l.above[l.axis+1:])
	parent, child := l.above[l.axis], l.below[l.axis]
	for o, across := range outer {
		for k := range parent.number {
			start := parent.first + k*parent.stride
			left, right := child.index(start), child.index(start+child.size)
			var a, b float64
			if left >= 0 {
				a = across * float64(child.cellsIn(left))
			}
			if right >= 0 {
				b = across * float64(child.cellsIn(right))
			}
			at := func(k int) int { return (o*child.number + k) * len(inner) }
			for i, deep := range inner {
				f((o*parent.number+k)*len(inner)+i, offset(left, at(left), i), offset(right, at(right), i), a*deep, b*deep)
			}
		}
	}
}

func offset(block, at, i int) int {
	if block < 0 {
		return -1
	}
	return at + i
}

// blockSizes returns the number of cells in each block of a table. Such a block is a combination of one block per
// dimension; these combinations are listed row by row.
func blockSizes(dims []blocks) []float64 {
	out := []float64{1}
	for _, b := range dims {
		next := make([]float64, 0, len(out)*b.number)
		for _, before := range out {
			for k := range b.number {
				next = append(next, before*float64(b.cellsIn(k)))
			}
		}
		out = next
	}
	return out
}

// split computes the level's coefficients from the means of the blocks, and returns the means of the pairs.
func (l *level) split(means []float64) []float64 {
	var out []float64
	l.pairs(func(pair, left, right int, a, b float64) {
		var mean, coefficient float64
		switch {
		case left < 0:
			mean = means[right]
		case right < 0:
			mean = means[left]
		default:
			mean = (a*means[left] + b*means[right]) / (a + b)
			coefficient = math.Sqrt(a*b/(a+b)) * (means[left] - means[right])
		}
		out = append(out, mean)
		l.coefficients = append(l.coefficients, coefficient)
	})
	return out
}

// join reverses split: from the means of the pairs and the coefficients it returns the means of the blocks. If a block
// belongs to two pairs, it returns the average of both results.
func (l *level) join(means []float64) []float64 {
	blocks := 1
	for _, b := range l.below {
		blocks *= b.number
	}
	out := make([]float64, blocks)
	share := 1.0
	if l.invariantPairs {
		share = 0.5
	}
	l.pairs(func(pair, left, right int, a, b float64) {
		shift := math.Sqrt(a*b/(a+b)) * l.coefficients[pair]
		if left >= 0 {
			out[left] += share * (means[pair] + shift/a)
		}
		if right >= 0 {
			out[right] += share * (means[pair] - shift/b)
		}
	})
	return out
}

// EachCoefficient calls f for the coefficient of every pair without an empty block.
func (l *level) EachCoefficient(f func(c *float64)) {
	l.pairs(func(pair, left, right int, _, _ float64) {
		if left >= 0 && right >= 0 {
			f(&l.coefficients[pair])
		}
	})
}

// Back computes the table from the current coefficients.
func (h *transform) Back() []float64 {
	means := h.roots
	for i := len(h.Levels) - 1; i >= 0; i-- {
		means = h.Levels[i].join(means)
	}
	return means
}

// tables returns the number of tables that are transformed separately: one for each combination of values of the
// dimensions without an order.
func tables(dims []int, ordered []bool) float64 {
	n := 1.0
	for i, d := range dims {
		if !ordered[i] {
			n *= float64(d)
		}
	}
	return n
}

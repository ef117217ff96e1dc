// Package privateclamp chooses a clamp from a noisy histogram of values. It sees only noisy numbers and public facts.
//
// A clamp [-c, c] limits values. The noise of a sum grows in proportion to c, but the sum lacks the parts of values
// beyond c. The best clamp depends on the data: it is near the value that about 1/mu units exceed (Amin, Kulesza, Muñoz
// Medina & Vassilvitskii, ICML 2019), not near the maximum. So a fraction of the budget mu² is first spent on a
// histogram of the values. Its bins do not depend on the data: on each side of zero it has 40 octaves (magnitudes from
// x to 2x) below the largest public bound, each divided into 8 bins of equal width.
//
// The histogram counts each row twice: in its octave with the weight [CoarseWeight], and in its bin with the weight 1.
// Octaves show whether there are values of some size, because they are few and have little noise relative to their
// counts. Bins show where many values end abruptly.
//
// [Histogram.Symmetric] and [Histogram.Interval] choose the clamp with the smallest expected loss: the variance of the
// noise plus the square of the amount that the clamp cuts off. The amount is estimated from the cells above the noise
// threshold, and from a tail that is extrapolated from these cells. A cell that only noise has raised does not move the
// clamp far: see threshold.
package privateclamp

import "math/bits"

const (
	// Octaves is the number of octaves on each side of zero.
	Octaves = 40
	// PerOctave is the number of bins of an octave.
	PerOctave = 1 << subBits
	// Bits is the number of binary digits of the largest magnitude, in quanta. It is large enough for bins to have integer
	// edges.
	Bits = Octaves + lowBits
	// CoarseWeight is the weight of a row in its octave, relative to its weight in its bin.
	CoarseWeight = 2
	// SquaredWeight is what a row adds to the squared norm of the histogram.
	SquaredWeight = CoarseWeight*CoarseWeight + 1

	subBits = 3
	lowBits = 10                  // magnitudes up to 2^10 quanta are in the bin around zero
	side    = Octaves * PerOctave // the number of bins on one side of zero
)

// Edges is the number of edges of bins on each side of zero, including the edge next to zero.
const Edges = side + 1

// Edge returns edge i of the magnitudes, in quanta, for i from 0 to Edges - 1. Edge 0 is 2^10; after every 8 edges it
// has doubled.
func Edge(i int) int64 {
	return (PerOctave + int64(i&(PerOctave-1))) << (i>>subBits + lowBits - subBits)
}

// BinOf returns the number of the bin that holds x, a value in quanta: 0 if |x| is at most Edge(0), otherwise i or, if
// x is negative, -i, with Edge(i-1) < |x| <= Edge(i). |x| must be at most 2^Bits.
func BinOf(x int64) int {
	u := uint64(max(x, -x))
	if u <= 1<<lowBits {
		return 0
	}
	u--
	top := bits.Len64(u) - 1
	i := (top-lowBits)<<subBits + int(u>>(top-subBits)&(PerOctave-1)) + 1
	if x < 0 {
		return -i
	}
	return i
}

// Layout is the order of a histogram's cells: the bin around zero, the octaves above zero, the bins above zero, and if
// Signed is set, because values may be negative, the octaves and the bins below zero. Each list is sorted by magnitude.
type Layout struct{ Signed bool }

// Cells returns the number of cells.
func (l Layout) Cells() int {
	if l.Signed {
		return 1 + 2*(Octaves+side)
	}
	return 1 + Octaves + side
}

// Count adds a number of rows with values in one bin to a histogram: with the weight CoarseWeight to the octave of the
// bin, and with the weight 1 to the bin. The bin around zero has no octave, and gets them with the weight CoarseWeight.
func (l Layout) Count(histogram []int64, bin int, rows int64) {
	if bin == 0 {
		histogram[0] += CoarseWeight * rows
		return
	}
	from := 1
	if bin < 0 {
		from, bin = 1+Octaves+side, -bin
	}
	histogram[from+(bin-1)/PerOctave] += CoarseWeight * rows
	histogram[from+Octaves+bin-1] += rows
}

// Bounds returns the smallest and the largest value of a bin, in quanta.
func Bounds(bin int) (low, high int64) {
	switch {
	case bin == 0:
		return -Edge(0), Edge(0)
	case bin < 0:
		low, high = Bounds(-bin)
		return -high, -low
	}
	return Edge(bin-1) + 1, Edge(bin)
}

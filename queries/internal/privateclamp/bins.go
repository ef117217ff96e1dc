// Package privateclamp chooses a clamp from a noisy histogram: public arithmetic, which sees noisy numbers and public
// facts only.
//
// A sum clamped at c has noise in proportion to c and lacks the parts of its values beyond c. Which clamp is best
// depends on the data: it lies near the value that about 1/mu units exceed (Amin, Kulesza, Muñoz Medina &
// Vassilvitskii, ICML 2019), not near the maximum. So a share of mu² goes to a histogram of the values first. Its bins
// do not depend on the data either: 40 octaves below the largest public bound, each cut into 8 bins of equal width, on
// both sides of zero.
//
// The histogram counts each row twice: once in its octave and once in its bin, at [CoarseWeight] to one. Octaves show
// whether values of some size exist: few cells with little noise are best for that. Bins show whether many values end
// abruptly.
//
// [Histogram.Symmetric] and [Histogram.Interval] choose the clamp of least expected loss: the square of what is cut
// off, estimated from the cells above the noise threshold and a tail extrapolated from them, plus the variance of the
// noise. A cell that chance may have raised does not move the clamp far: see threshold.
package privateclamp

import "math/bits"

const (
	// Octaves is the number of octaves on a side of zero.
	Octaves = 40
	// PerOctave is the number of bins of an octave.
	PerOctave = 1 << subBits
	// Bits is the number of binary digits of the largest magnitude, in quanta: bins have whole edges.
	Bits = Octaves + lowBits
	// CoarseWeight is the weight of a row in its octave, relative to its weight in its bin.
	CoarseWeight = 2
	// SquaredWeight is what a row adds to the squared norm of the histogram.
	SquaredWeight = CoarseWeight*CoarseWeight + 1

	subBits = 3
	lowBits = 10 // magnitudes up to 2^10 quanta are in the bin of zero
	side    = Octaves * PerOctave
)

// Edges is the number of edges of bins on a side of zero, including the edge next to zero.
const Edges = side + 1

// Edge returns the i-th edge of magnitudes in quanta, i from 0 to Edges - 1: edge 0 is 2^10, and every 8 edges it
// doubles.
func Edge(i int) int64 {
	return (PerOctave + int64(i&(PerOctave-1))) << (i>>subBits + lowBits - subBits)
}

// BinOf returns the bin of a value in quanta: 0 if its magnitude is at most Edge(0), else ±i if it is in (Edge(i-1),
// Edge(i)]. Magnitudes are at most 2^Bits.
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

// Layout is the cells of a histogram: the bin of zero, then the octaves and the bins above zero, then, if values may be
// negative, those below it, each by growing magnitude.
type Layout struct{ Signed bool }

// Cells returns the number of cells.
func (l Layout) Cells() int {
	if l.Signed {
		return 1 + 2*(Octaves+side)
	}
	return 1 + Octaves + side
}

// Count adds rows of a bin to a histogram, CoarseWeight times in the octave and once in the bin. Rows of the bin of
// zero count there, with CoarseWeight.
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

// Bounds returns the least and the greatest value of a bin, in quanta.
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

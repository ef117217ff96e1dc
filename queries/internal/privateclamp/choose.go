package privateclamp

import "math"

// Histogram is a noisy histogram of values.
type Histogram struct {
	Layout
	// Cells are the noisy cells, in rows times weight, and Deviation is the standard deviation of each.
	Cells     []float64
	Deviation float64
}

// side returns the magnitudes of one side of the histogram.
func (h *Histogram) side(from int) *magnitudes {
	m := &magnitudes{sdCoarse: h.Deviation / CoarseWeight, sdFine: h.Deviation}
	for _, x := range h.Cells[from : from+Octaves] {
		m.coarse = append(m.coarse, x/CoarseWeight)
	}
	m.fine = append(m.fine, h.Cells[from+Octaves:from+Octaves+side]...)
	return m
}

// sides returns the magnitudes that are searched: the magnitudes of each side and, if there are two sides, of both
// folded together. A tail on one side exceeds the noise most clearly alone; tails on both sides exceed it most clearly
// together.
func (h *Histogram) sides() []*magnitudes {
	above := h.side(1)
	if !h.Signed {
		return []*magnitudes{above}
	}
	below := h.side(1 + Octaves + side)
	folded := &magnitudes{sdCoarse: above.sdCoarse * math.Sqrt2, sdFine: above.sdFine * math.Sqrt2}
	for i, x := range above.coarse {
		folded.coarse = append(folded.coarse, x+below.coarse[i])
	}
	for i, x := range above.fine {
		folded.fine = append(folded.fine, x+below.fine[i])
	}
	return []*magnitudes{folded, above, below}
}

// Symmetric returns the edge c of least expected loss for a sum of values within [-c, c], whose noise has the standard
// deviation noise·c: the highest of the edges for the two sides and for both folded together. It is 0 if no octave
// counts as occupied. groups is the number of sums that share the clamp. If groups is at most mostKept, the clamp holds
// every octave that exceeds the threshold.
//
// The loss is bias² + groups·(noise·c)², with the rows above c, as estimated, times their distance from c as the bias.
// The distribution of the bias over groups is not known: its square is between bias²/groups, if it is even, and bias².
// The geometric mean of the two is used.
func (h *Histogram) Symmetric(noise float64, groups int) (edge int) {
	for _, m := range h.sides() {
		edge = max(edge, m.leastLoss(noise, float64(max(groups, 1))))
		if groups <= mostKept {
			_, last := m.kept()
			edge = max(edge, last)
		}
	}
	return edge
}

// leastLoss returns the edge of least expected loss for values of these magnitudes.
func (m *magnitudes) leastLoss(noise, groups float64) int {
	rows := m.rows()
	best, least := 0, math.Inf(1)
	above, beyond := 0.0, 0.0 // rows above the edge, and the sum of their magnitudes
	var v0, v1, v2 float64    // moments of the variance of rows above the edge
	for i := len(rows); i >= 0 && rows != nil; i-- {
		c := float64(Edge(i))
		bias, sd := beyond-above*c, noise*c
		unsure := v2 - 2*c*v1 + c*c*v0
		if loss := (bias*bias+unsure)/math.Sqrt(groups) + groups*sd*sd; loss < least {
			best, least = i, loss
		}
		if i > 0 {
			n, x := rows[i-1], (c+float64(Edge(i-1)))/2
			v := countVariance * math.Pow(min(n, m.sdFine), 2)
			above, beyond = above+n, beyond+n*x
			v0, v1, v2 = v0+v, v1+v*x, v2+v*x*x
		}
	}
	return best
}

// countVariance is the variance of an estimated row count n of a bin, relative to n² or to the variance of the bin's
// noise, whichever is less. It is above 1 because errors of neighbouring bins of a tail have the same sign.
const countVariance = 6

package privateclamp

import "math"

// Histogram is a noisy histogram of values.
type Histogram struct {
	Layout
	// Cells are the noisy row counts, times their weight. Deviation is the standard deviation of the noise of each cell.
	Cells     []float64
	Deviation float64
}

// side returns the cells on one side of zero, which begin at index from.
func (h *Histogram) side(from int) *magnitudes {
	m := &magnitudes{sdCoarse: h.Deviation / CoarseWeight, sdFine: h.Deviation}
	for _, x := range h.Cells[from : from+Octaves] {
		m.coarse = append(m.coarse, x/CoarseWeight)
	}
	m.fine = append(m.fine, h.Cells[from+Octaves:from+Octaves+side]...)
	return m
}

// sides returns the three vectors that are searched for a clamp: the cells above zero, the cells below zero, and their
// sums. A tail on one side of zero exceeds the noise most clearly in the cells of that side, equal tails on both sides
// exceed it most clearly in the sums.
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

// Symmetric chooses a clamp [-c, c] for sums of values and returns the index of the edge c. The standard deviation of a
// sum's noise is noise·c, and groups sums share the clamp. For each of the three vectors of sides, Symmetric finds the
// edge with the smallest expected loss. It returns the largest of the three edges, or 0 if no octave counts as
// occupied. If groups is at most maxKeptGroups, the clamp includes every octave that exceeds the threshold.
//
// The loss of one sum is bias² + (noise·c)². The bias is the estimated amount by which values exceed c, summed over all
// rows. It is not known how several sums share the bias. Their squared biases add up to bias²/groups if they share it
// evenly, and to bias² if one sum has all of it. Symmetric takes the geometric mean of both, so the loss is
// bias²/√groups + groups·(noise·c)². The squared bias includes the variance of its estimate.
func (h *Histogram) Symmetric(noise float64, groups int) (edge int) {
	for _, m := range h.sides() {
		edge = max(edge, m.leastLoss(noise, float64(max(groups, 1))))
		if groups <= maxKeptGroups {
			_, last := m.kept()
			edge = max(edge, last)
		}
	}
	return edge
}

// leastLoss returns the index of the edge with the smallest expected loss.
func (m *magnitudes) leastLoss(noise, groups float64) int {
	rows := m.rows()
	best, least := 0, math.Inf(1)
	above, beyond := 0.0, 0.0 // estimated rows above the edge, and the sum of their magnitudes
	var v0, v1, v2 float64    // sums of the variances of the bins' estimates, times x⁰, x¹ and x²
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

// countVariance is the variance of a bin's estimated row count n, divided by the smaller of n² and the variance of the
// bin's noise. It is above 1 because neighbouring bins of a tail have errors of the same sign.
const countVariance = 6

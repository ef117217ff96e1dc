package privateclamp

import "math"

// Histogram is a noisy histogram of values.
type Histogram struct {
	Layout
	// Cells are the noisy cells, in rows times weight, and Deviation is the standard deviation of each.
	Cells     []float64
	Deviation float64
}

// side returns the magnitudes of one side of the histogram, or of both sides folded.
func (h *Histogram) side(from int) *magnitudes {
	m := &magnitudes{sdCoarse: h.Deviation / CoarseWeight, sdFine: h.Deviation}
	for _, x := range h.Cells[from : from+Octaves] {
		m.coarse = append(m.coarse, x/CoarseWeight)
	}
	m.fine = append(m.fine, h.Cells[from+Octaves:from+Octaves+side]...)
	return m
}

func (h *Histogram) folded() *magnitudes {
	m := h.side(1)
	if !h.Signed {
		return m
	}
	o := h.side(1 + Octaves + side)
	for i, x := range o.coarse {
		m.coarse[i] += x
	}
	for i, x := range o.fine {
		m.fine[i] += x
	}
	m.sdCoarse *= math.Sqrt2
	m.sdFine *= math.Sqrt2
	return m
}

// Symmetric returns the edge c of least expected loss for a sum of values within [-c, c], whose noise has the standard
// deviation noise·c. It is 0 if no octave counts as occupied. groups is the number of sums that share the clamp.
//
// The loss is bias² + groups·(noise·c)², with the rows above c, as estimated, times their distance from c as the bias.
// The distribution of the bias over groups is not known: its square is between bias²/groups, if it is even, and bias².
// The geometric mean of the two is used.
func (h *Histogram) Symmetric(noise float64, groups int) int {
	m := h.folded()
	rows := m.rows()
	best, least := 0, math.Inf(1)
	above, beyond := 0.0, 0.0 // rows above the edge, and the sum of their magnitudes
	var v0, v1, v2 float64    // moments of the variance of rows above the edge
	g := float64(max(groups, 1))
	for i := len(rows); i >= 0 && rows != nil; i-- {
		c := float64(Edge(i))
		bias, sd := beyond-above*c, noise*c
		unsure := v2 - 2*c*v1 + c*c*v0
		if loss := (bias*bias+unsure)/math.Sqrt(g) + g*sd*sd; loss < least {
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

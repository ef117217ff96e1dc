package privateclamp

import "math"

// Interval returns the clamp [low, high], in quanta, with the smallest expected loss if the centre of the clamp is
// subtracted from values before summing. The standard deviation of a sum's noise is noise·(high - low)/2, and groups
// sums share the clamp; see [Histogram.Symmetric]. The clamp may be far from zero: its width decides the noise. If no
// octave counts as occupied, the clamp is the bin around zero.
func (h *Histogram) Interval(noise float64, groups int) (low, high int64) {
	rows, ends := h.estimate()
	if rows == nil {
		return Bounds(0)
	}
	// cutAbove[i] is the squared bias if the clamp ends at ends[i], cutBelow[i] if it begins there.
	cutAbove, cutBelow := make([]float64, len(ends)), make([]float64, len(ends))
	n, sum := 0.0, 0.0
	for i := len(ends) - 1; i >= 0; i-- {
		x := sum - n*ends[i]
		cutAbove[i] = x * x
		if i > 0 {
			n, sum = n+rows[i-1], sum+rows[i-1]*(ends[i]+ends[i-1])/2
		}
	}
	n, sum = 0, 0
	for i := range ends {
		x := n*ends[i] - sum
		cutBelow[i] = x * x
		if i < len(rows) {
			n, sum = n+rows[i], sum+rows[i]*(ends[i]+ends[i+1])/2
		}
	}
	g, least := float64(max(groups, 1)), math.Inf(1)
	for i := range ends {
		for j := i + 1; j < len(ends); j++ {
			sd := noise * (ends[j] - ends[i]) / 2
			if loss := (cutAbove[j]+cutBelow[i])/math.Sqrt(g) + g*sd*sd; loss < least {
				least, low, high = loss, int64(ends[i]), int64(ends[j])
			}
		}
	}
	if groups <= maxKeptGroups {
		return h.hold(low, high)
	}
	return low, high
}

// hold widens a clamp until it includes every octave that exceeds the threshold: see [magnitudes.kept].
func (h *Histogram) hold(low, high int64) (int64, int64) {
	if h.Cells[0] >= threshold*h.Deviation {
		low, high = min(low, -Edge(0)), max(high, Edge(0))
	}
	first, last := h.side(1).kept()
	if last > 0 {
		high = max(high, Edge(last))
	}
	if first > 0 {
		low = min(low, Edge(first-1))
	}
	if !h.Signed {
		return low, high
	}
	if first, last = h.side(1 + Octaves + side).kept(); last > 0 {
		low = min(low, -Edge(last))
	}
	if first > 0 {
		high = max(high, -Edge(first-1))
	}
	return low, high
}

// estimate returns the estimated row counts of the bins, in the order of values, and the edges of these bins. Both are
// nil if no octave counts as occupied.
func (h *Histogram) estimate() (rows, ends []float64) {
	zero := h.Cells[0] / CoarseWeight
	if zero < thresholdNear*h.Deviation/CoarseWeight {
		zero = 0
	}
	above := h.side(1).occupiedRows()
	below := make([]float64, 0, side)
	if h.Signed {
		below = h.side(1 + Octaves + side).occupiedRows()
	}
	if zero == 0 && above == nil && len(below) == 0 {
		return nil, nil
	}
	for i := len(below) - 1; i >= 0; i-- {
		rows, ends = append(rows, below[i]), append(ends, -float64(Edge(i+1)))
	}
	rows, ends = append(rows, zero), append(ends, -float64(Edge(0)))
	for i := range above {
		rows, ends = append(rows, above[i]), append(ends, float64(Edge(i)))
	}
	return rows, append(ends, float64(Edge(len(above))))
}

// occupiedRows returns the estimated row counts of the bins of occupied octaves. It sets to 0 the octaves below the
// highest one that only noise may have raised, because a few wrong rows near zero would make the clamp wide.
func (m *magnitudes) occupiedRows() []float64 {
	out := m.rows()
	if out == nil {
		return nil
	}
	top, _ := m.highest(m.highestRun())
	for j := top - 1; j >= 0; j-- {
		least := thresholdNear
		if m.coarse[j+1] >= thresholdNear*m.sdCoarse {
			least = thresholdNext
		}
		if m.coarse[j] < least*m.sdCoarse && m.evidence(j) < threshold {
			clear(out[j*PerOctave : (j+1)*PerOctave])
		}
	}
	for j := range top { // set to 0 the bins without evidence of rows, in octaves with very many rows
		bins := out[j*PerOctave : (j+1)*PerOctave]
		for i, f := range m.fine[j*PerOctave : (j+1)*PerOctave] {
			if f < 3*m.sdFine && m.coarse[j] > thresholdNear*PerOctave*m.sdFine {
				bins[i] = 0
			}
		}
	}
	return out
}

package privateclamp

import (
	"errors"
	"math"
	"slices"
)

// Choosing max_rows
//
// A bound k on the rows of a unit acts on a unit's number of rows as a clamp acts on a value: further rows are dropped,
// and the noise grows with k. So the bound is chosen like a clamp, from a noisy histogram that counts each unit once,
// in the cell for its number of rows.

// RowsRule is the version of the rule that chooses a bound. Any change to the results of [RowsSearch.Choose] needs a
// new version.
const RowsRule = 1

// MostRows is an upper limit on all bounds.
const MostRows = 1 << 30

// Steps returns the bounds among which one is chosen: all powers of two below maxRows, and maxRows.
func Steps(maxRows int64) (steps []int64) {
	for k := int64(1); k < maxRows; k *= 2 {
		steps = append(steps, k)
	}
	return append(steps, maxRows)
}

// RowsSearch is a noisy histogram of how many rows units have, and the bound that was chosen from it.
type RowsSearch struct {
	// RuleVersion is the version of the rule.
	RuleVersion int `json:"rule"`
	// Steps are the bounds among which one is chosen, ascending. Cell i of the histogram counts the units that have more
	// than Steps[i-1] rows and at most Steps[i].
	Steps []int64 `json:"steps"`
	// Noise[i] is the standard deviation of an answer's noise under the bound Steps[i], if a row adds at most 1.
	Noise []float64 `json:"noise"`
	// Groups is the number of cells of the answer. They share the bound.
	Groups int `json:"groups"`
	// Grid is the spacing of the histogram's noisy values, Deviation their standard deviation, and Cells the values in
	// multiples of the grid.
	Grid      float64 `json:"grid"`
	Deviation float64 `json:"standard_deviation"`
	Cells     []int64 `json:"noisy_histogram"`
	// MaxRows is the chosen bound.
	MaxRows int64 `json:"max_rows"`
	// Found is set if at least one cell exceeded the noise threshold.
	Found bool `json:"found"`
}

// ErrRows means that the fields of a RowsSearch contradict each other.
var ErrRows = errors.New("the histogram from which a bound was chosen is not complete")

// Choose sets the bound (MaxRows and Found) from the other fields. The only error is ErrRows.
//
// The loss under a bound is computed as for a clamp: see [Histogram.Symmetric]. Each dropped row counts as the largest
// value that a row can add. If at most maxKeptGroups cells share the bound, it is large enough for all units of each
// cell that exceeds the threshold.
func (s *RowsSearch) Choose() error {
	positive := func(x float64) bool { return x > 0 && x <= math.MaxFloat64 }
	n := len(s.Steps)
	if s.RuleVersion != RowsRule || n < 2 || s.Steps[n-1] > MostRows || !slices.Equal(s.Steps, Steps(s.Steps[n-1])) ||
		len(s.Cells) != n || len(s.Noise) != n ||
		s.Groups < 1 || !positive(s.Grid) || !positive(s.Deviation) ||
		slices.ContainsFunc(s.Noise, func(x float64) bool { return !positive(x) }) {
		return ErrRows
	}
	units := s.units()
	s.Found, s.MaxRows = units != nil, s.Steps[0]
	if !s.Found {
		return nil
	}
	g, least := float64(s.Groups), math.Inf(1)
	above, beyond := 0.0, 0.0 // units above the bound, and how many rows they have
	var v0, v1, v2 float64    // sums of the variances of the cells' estimates, times rows⁰, rows¹ and rows²
	for i := n - 1; i >= 0; i-- {
		k := float64(s.Steps[i])
		bias := beyond - above*k
		unsure := v2 - 2*k*v1 + k*k*v0
		if loss := (bias*bias+unsure)/math.Sqrt(g) + g*s.Noise[i]*s.Noise[i]; loss < least {
			s.MaxRows, least = s.Steps[i], loss
		}
		if i > 0 {
			x := (k + float64(s.Steps[i-1]) + 1) / 2
			v := countVariance * math.Pow(min(units[i], s.Deviation), 2)
			above, beyond = above+units[i], beyond+units[i]*x
			v0, v1, v2 = v0+v, v1+v*x, v2+v*x*x
		}
	}
	for i, n := range s.Cells {
		if s.Groups <= maxKeptGroups && float64(n)*s.Grid >= threshold*s.Deviation {
			s.MaxRows = max(s.MaxRows, s.Steps[i])
		}
	}
	return nil
}

// units returns an estimate of how many units each cell has, including a tail that it extrapolates above the highest
// occupied cell. It returns nil if no cell counts as occupied.
func (s *RowsSearch) units() []float64 {
	m := &magnitudes{sdCoarse: s.Deviation}
	for _, n := range s.Cells {
		m.coarse = append(m.coarse, float64(n)*s.Grid)
	}
	firm := m.highestRun()
	if firm < 0 {
		return nil
	}
	top, gap := m.highest(firm)
	out := make([]float64, len(m.coarse))
	for i, n := range m.coarse[:top+1] {
		if n > m.sdCoarse {
			out[i] = n
		}
	}
	d := fitDecay(m.coarse, top, m.sdCoarse)
	if next := d.continued(m.coarse, top, m.sdCoarse, bend); !gap && !d.ends(next) {
		copy(out[top+1:], next)
	}
	clear(out[min(firm+1+farthest, len(out)):])
	return out
}

// Same reports whether Choose would choose the stored bound.
func (s *RowsSearch) Same() bool {
	again := *s
	return again.Choose() == nil && again.MaxRows == s.MaxRows && again.Found == s.Found
}

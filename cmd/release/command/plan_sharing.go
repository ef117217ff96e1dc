package command

import (
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
)

// sharing is the standard deviations that a histogram would have if its cells shared noise, as multiples of those that
// it has.
type sharing struct {
	Cell  float64 `json:"cell"`
	Total float64 `json:"total"` // of the sum of all cells
}

// leastGain is the largest multiple that a plan speaks of.
const leastGain = 0.97

// sharingOf returns what `noise: auto` would give a query; nil if the noise would not be smaller, or if a key of the
// job excludes common noise.
func sharingOf(p *pipeline.Plan, q *pipeline.Planned) *sharing {
	if p.Guarantee().Delta == 0 || len(q.Steps) > 0 || q.Sparse {
		return nil
	}
	for _, jq := range p.Job().Queries {
		if jq.Name == q.Query.Name() && len(jq.Margins) > 0 || slices.Contains(jq.Margins, q.Query.Name()) ||
			isDirected(&jq, q.Query.Name()) {
			return nil
		}
	}
	s := &sharing{}
	if s.Cell, s.Total = queries.GainOfSharing(q.Query, p.Adjacency()); s.Cell > leastGain {
		return nil
	}
	return s
}

// isDirected reports whether a query has this name and chooses the place of its noise itself.
func isDirected(jq *configs.Query, name string) bool {
	return jq.Name == name && (jq.Sensitivity != "" || jq.Histogram != nil && jq.Histogram.Noise != "")
}

// printSharing reports what `noise: auto` would give.
func (a *app) printSharing(p *pipeline.Plan, q *pipeline.Planned) error {
	s := sharingOf(p, q)
	if s == nil {
		return nil
	}
	return a.Printf("\n%s: one unit may be in many of the cells; with noise: auto in the histogram a cell would have "+
		"%.2f of this noise, and the sum of all cells %.2f times what it has now\n",
		q.Query.Name(), s.Cell, s.Total)
}

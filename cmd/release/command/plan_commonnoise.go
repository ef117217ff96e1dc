package command

import (
	"slices"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/kinds"
)

// commonNoiseGain holds the standard deviations of a histogram's noise with `noise: auto`, divided by the present ones.
type commonNoiseGain struct {
	Cell  float64 `json:"cell"`
	Total float64 `json:"total"` // for the sum of all cells
}

// maxGain is the maximum ratio of new to present noise at which a plan mentions `noise: auto`.
const maxGain = 0.97

// commonNoiseGainOf returns the gain of `noise: auto` for a query. It returns nil if the gain is small, or if a key of
// the job excludes common noise.
func commonNoiseGainOf(p *pipeline.Plan, q *pipeline.Planned) *commonNoiseGain {
	if p.Guarantee().Delta == 0 || len(q.Steps) > 0 || q.Sparse {
		return nil
	}
	for _, jq := range p.Job().Queries {
		if jq.Name == q.Query.Name() && len(jq.Margins) > 0 || slices.Contains(jq.Margins, q.Query.Name()) ||
			isDirected(&jq, q.Query.Name()) {
			return nil
		}
	}
	s := &commonNoiseGain{}
	if s.Cell, s.Total = kinds.GainOfCommonNoise(q.Query, p.Adjacency()); s.Cell > maxGain {
		return nil
	}
	return s
}

// isDirected reports whether jq is the query with this name and has the key sensitivity or noise, with which the user
// has decided how its noise is placed.
func isDirected(jq *configs.Query, name string) bool {
	return jq.Name == name && (jq.Sensitivity != "" || jq.Histogram != nil && jq.Histogram.Noise != "")
}

func commonNoiseText(p *pipeline.Plan, q *pipeline.Planned) string {
	s := commonNoiseGainOf(p, q)
	if s == nil {
		return ""
	}
	return console.Fill("\n%s: one unit may be in many of the cells; with noise: auto in the histogram a cell would have "+
		"%.2f of this noise, and the sum of all cells %.2f times what it has now\n",
		q.Query.Name(), s.Cell, s.Total)
}

package command

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
)

// budgetShare returns a query's fraction of the release's budget. The budget is mu squared, or epsilon if delta is 0.
func budgetShare(p *pipeline.Plan, q *pipeline.Planned) float64 {
	if p.Guarantee().Delta > 0 {
		ratio := float64(q.Mu()) / float64(p.Mu())
		return ratio * ratio
	}
	own, _ := calibrate.ComposedPure(q.Mechanisms).Float64()
	return own / float64(p.Guarantee().Epsilon)
}

// sharedOut returns the name of the quantity that is split over the queries: mu squared or epsilon.
func sharedOut(p *pipeline.Plan) string {
	if p.Guarantee().Delta > 0 {
		return "share of mu²"
	}
	return "share of epsilon"
}

// comparedText states which queries would have less noise with another delta, and the ledger's charge. If the plan's
// delta is above 0, it states nothing unless some query would gain.
func comparedText(p *pipeline.Plan) string {
	with := p.WithOtherDelta()
	if with == nil {
		return ""
	}
	heading := fmt.Sprintf("Gaussian, delta %s", with.Delta)
	if with.Delta == 0 {
		heading = "with delta 0"
	}
	rows := [][]string{{"query", "standard deviation", heading}}
	var smaller []string
	i := 0
	for _, q := range p.Queries() {
		for j, m := range q.Mechanisms {
			rows = append(rows, []string{m.Query, spelling.Up(m.Deviation(), 5), spelling.Up(with.Deviations[i], 5)})
			if j == 0 && with.Deviations[i] < m.Deviation() {
				smaller = append(smaller, q.Query.Name())
			}
			i++
		}
	}
	gain := "for no query would it be smaller"
	if len(smaller) > 0 {
		gain = "it would be smaller for " + strings.Join(smaller, ", ")
	}
	text := fmt.Sprintf("Gaussian noise of the same epsilon needs a delta: with %s %s", with.Delta, gain)
	if with.Delta == 0 {
		if len(smaller) == 0 {
			return ""
		}
		text = "Geometric or Laplace noise of the same epsilon needs no delta: with privacy.delta: 0 " + gain
	}
	return console.Fill("\n%s, and the ledger would be charged mu %s in place of %s\n", text,
		spelling.Up(float64(with.Mu), 4), spelling.Up(float64(p.Mu()), 4)) + console.Aligned(rows)
}

package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline"
)

// budgetShare returns a query's fraction of the release's budget: of mu squared, or of epsilon if delta is 0.
func budgetShare(p *pipeline.Plan, q *pipeline.Planned) float64 {
	if p.Guarantee().Delta > 0 {
		ratio := float64(q.Mu()) / float64(p.Mu())
		return ratio * ratio
	}
	own, _ := calibrate.ComposedPure(q.Mechanisms).Float64()
	return own / float64(p.Guarantee().Epsilon)
}

// sharedOut names what queries share.
func sharedOut(p *pipeline.Plan) string {
	if p.Guarantee().Delta > 0 {
		return "share of mu²"
	}
	return "share of epsilon"
}

// printCompared reports which queries would have less noise with a small delta, and what the ledger would be charged;
// nothing if delta is not 0.
func printCompared(c *console.Console, p *pipeline.Plan) error {
	with, err := p.Compared()
	if with == nil || err != nil {
		return err
	}
	rows := [][]string{{"query", "standard deviation", fmt.Sprintf("Gaussian, delta %g", with.Delta)}}
	var smaller []string
	i := 0
	for _, q := range p.Queries() {
		for j, m := range q.Mechanisms {
			rows = append(rows, []string{m.Query, fmt.Sprintf("%.5g", m.Deviation()), fmt.Sprintf("%.5g", with.Deviations[i])})
			if j == 0 && with.Deviations[i] < m.Deviation() {
				smaller = append(smaller, q.Query.Name())
			}
			i++
		}
	}
	said := "for no query would it be smaller"
	if len(smaller) > 0 {
		said = "it would be smaller for " + strings.Join(smaller, ", ")
	}
	return errors.Join(
		c.Printf("\nGaussian noise of the same epsilon needs a delta: with %g %s, and the ledger would be charged mu %.4g "+
			"in place of %.4g\n", with.Delta, said, float64(with.Mu), float64(p.Mu())),
		c.PrintTable(rows),
	)
}

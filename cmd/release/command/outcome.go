package command

import (
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
)

// headlines has the first line that the program prints after a run, for each way in which a run can end.
var headlines = map[protocol.Status]string{
	protocol.StatusReleased: "released",
	protocol.StatusFinished: "released: an earlier run was cut short after its noise was drawn; its release is " +
		"published now, nothing more was spent",
	protocol.StatusAlready:    "already released: the same bytes are there, nothing was spent",
	protocol.StatusCopied:     "already released elsewhere: the same bytes were copied, nothing was spent",
	protocol.StatusRerendered: "released in this rendering: made from earlier noisy values, nothing was spent",
}

func (a *app) printOutcome(p *pipeline.Plan, o *protocol.Outcome, b ledger.Balance, compared bool) error {
	switch {
	case a.JSON:
		return a.PrintJSON(outcomeJSON(p, o, b, compared))
	case a.Quiet:
		return nil
	}
	text := console.Fill("%s: %s\n  folder   %s\n", p.Name(), headlines[o.Status], console.Here(o.Dir))
	if o.From != "" {
		text += console.Fill("  from     %s\n", console.Here(o.From))
	}
	if o.Moved != "" {
		text += console.Fill("  before   %s\n", console.Here(o.Moved))
	}
	if o.Discarded {
		text += "  note     beside the folder was a release in staging that no run of this ledger made: it was " +
			"deleted, and the noise drawn anew under the same charge\n"
	}
	if compared {
		text += "  input    compared: the release was made from it\n"
	}
	text += console.Fill("  promise  epsilon %s, delta %s (mu %s) for the whole release; unit %s, %s\n  budget   %s\n\n",
		p.Job().Privacy.Epsilon,
		p.Job().Privacy.Delta, spelling.Up(float64(p.Mu()), 4), p.Account().Unit, p.Adjacency(), budgetLine(b))
	if promise := p.Upstream(); promise != "" {
		text += console.Fill("  note     by the promise of the table's producer, %s: this program neither bounded nor "+
			"checked it\n\n",
			promise)
	}
	planned := p.Queries()
	if o.Queries != nil {
		planned = o.Queries
	}
	text += console.Aligned(releasedRows(planned, p.Job().Output.Formats))
	if o.Release != nil {
		text += previewText(o.Release)
	}
	return a.Print(text)
}

func budgetLine(b ledger.Balance) string {
	releases := "releases"
	if b.Runs == 1 {
		releases = "release"
	}
	return console.Fill("%s: %s of mu² spent (epsilon %s, delta %s in all; %d %s)",
		b.Account.Dataset, spelling.Percent(b.Share(), true), b.Budget.Epsilon, b.Budget.Delta, b.Runs, releases)
}

func releasedRows(planned []pipeline.Planned, formats []string) [][]string {
	rows := [][]string{{"query", "cells", "sigma", "95 % ±", "denoised", "files"}}
	for _, q := range planned {
		var files []string
		for _, f := range formats {
			files = append(files, q.Query.Name()+"."+f)
		}
		var steps []string
		for _, s := range q.Steps {
			steps = append(steps, s.Name())
		}
		sigma := spelling.Down(q.Sigma(), 4)
		if q.Strategy != nil && len(q.Mechanisms) > 1 {
			sigma = "-" // the query's components have different sigmas
		}
		rows = append(rows, []string{
			q.Query.Name(), cellCount(&q), sigma,
			halfWidth(&q), console.OrDash(strings.Join(steps, ", ")), strings.Join(files, " "),
		})
	}
	return rows
}

func outcomeJSON(p *pipeline.Plan, o *protocol.Outcome, b ledger.Balance, compared bool) any {
	out := map[string]any{
		"name": p.Name(), "params": p.Params(), "status": o.Status, "dir": o.Dir, "manifest_sha256": o.Digest,
		"moved":             o.Moved,
		"staging_discarded": o.Discarded, "epsilon": p.Guarantee().Epsilon, "delta": p.Guarantee().Delta, "mu": p.Mu(),
		"account": map[string]any{
			"dataset": b.Account.Dataset, "unit": b.Account.Unit, "adjacency": b.Account.Adjacency,
			"budget_epsilon": b.Budget.Epsilon, "budget_delta": b.Budget.Delta, "mu2_spent_share": b.Share(), "releases": b.Runs,
		},
	}
	if compared {
		out["input"] = "unchanged"
	}
	return out
}

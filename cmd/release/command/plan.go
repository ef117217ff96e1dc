package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/queries/query"
)

const planLong = `plan prints what each query of a job will cost and how accurate it will be, and what a run would
charge: nothing if the release is published already, else how much of the budget, and how many more such releases fit.
It reads the job file, the job's public files and its ledger, and no data; with --verbose also the schema in the headers
or footers of the input's files. What it says is the same for every table of this schema. Values are compared with the
types that the job states for the columns of text files; only --verbose and release check know the types in Parquet and
Arrow files, and only release check those of a database. It exits with 1 if a query misses its max_error or accuracy,
and with 4 if the budget does not pay for the release.`

func (a *app) planCmd() *cobra.Command {
	var flags jobs.Flags
	var verbose bool
	var drawn string
	cmd := &cobra.Command{
		Use: "plan JOB", Short: "Show cost and accuracy without reading any data", Long: planLong, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.plan(cmd.Context(), args[0], &flags, verbose, drawn)
		},
	}
	flags.AddParams(cmd)
	flags.AddOut(cmd)
	flags.AddWorkers(cmd)
	flags.AddMemoryLimit(cmd)
	cmd.Flags().BoolVar(&verbose, "verbose", false,
		"also show how the input will be read, by the schema in its headers or footers")
	cmd.Flags().StringVar(&drawn, "picture", "", "also draw the plan into this file: .svg, .png or .pdf")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the plan as JSON")
	return cmd
}

func (a *app) plan(ctx context.Context, path string, flags *jobs.Flags, verbose bool, drawn string) error {
	plan, err := flags.Load(ctx, a.Console, path)
	if err != nil {
		return err
	}
	if diags := plan.CheckDeclared(source.TextColumnType); len(diags) > 0 {
		return diags
	}
	a.warnOfLittle(plan)
	limits, err := flags.Limits(plan)
	if err != nil {
		return err
	}
	var scan *local.ScanPlan
	if verbose {
		if scan, err = a.scanPlan(ctx, plan, limits); err != nil {
			return err
		}
	}
	found, err := findStanding(ctx, a.Console, plan, flags)
	if err != nil {
		return err
	}
	if a.JSON {
		text := planJSON(plan)
		text["budget"] = found.JSON()
		if scan != nil {
			text["scan"] = scan
		}
		err = a.PrintJSON(text)
	} else {
		text := planText(plan) + worthText(plan) + sampleText(plan) + comparedText(plan) + found.text(plan)
		if verbose {
			text += scanText(plan, scan)
		}
		err = a.Print(text)
	}
	if err == nil && drawn != "" {
		err = writePicture(a.Console, drawn, planFigure(plan))
	}
	if err != nil {
		return err
	}
	if err := plan.Accurate(); err != nil {
		return err
	}
	return chargeRefusal(plan, found.Quote)
}

// plannedQuery describes one query in the output of `plan --json`.
type plannedQuery struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Cells int    `json:"cells"`
	// Conditions is the query's filter in words; "" if all rows count.
	Conditions  string  `json:"conditions,omitempty"`
	Sensitivity float64 `json:"sensitivity"`
	Why         string  `json:"why"`
	Sigma       float64 `json:"sigma"`
	Deviation   float64 `json:"standard_deviation"`
	HalfWidth   float64 `json:"ci95_half_width"`
	// PerRow is true for a mean whose number of rows is private: its half-width is the stated number divided by that
	// number of rows.
	PerRow bool `json:"ci95_half_width_over_rows"`
	// Least is the half-width if `max_rows: discover` finds the smallest possible bound; nil if the job fixes the
	// bound.
	Least *float64 `json:"least_ci95_half_width,omitempty"`
	Mu    float64  `json:"mu"`
	Share float64  `json:"share_of_mu2"`
	// Threshold is the noisy count from which a key is published, if keys are discovered.
	Threshold float64 `json:"threshold,omitempty"`
	MinUnits  int64   `json:"min_units,omitempty"`
	// KeysOf names the query that selects the keys; "" if it is this query, or if keys are listed.
	KeysOf string `json:"keys_of,omitempty"`
	// NoiseThreshold is the value that no noisy count exceeds with 95 % probability if all exact counts are 0.
	NoiseThreshold float64 `json:"stands_out,omitempty"`
	// CommonNoise is what `noise: auto` would gain over independent noise; nil if it would gain nothing.
	CommonNoise *commonNoiseGain `json:"noise_auto,omitempty"`
	// Adjusted is the expected error of estimates that are made non-negative or integers; nil if they are not.
	Adjusted *adjusted `json:"estimates,omitempty"`
	// MinCount is the min_count that the plan proposes for a mean of groups; 0 if it proposes none.
	MinCount int `json:"proposed_min_count,omitempty"`
	// Parts are the query's mechanisms, if its tables are computed from several.
	Parts    []plannedPart   `json:"parts,omitempty"`
	Strategy *query.Strategy `json:"strategy,omitempty"`
}

func planJSON(p *pipeline.Plan) map[string]any {
	all := make([]plannedQuery, 0, len(p.Queries()))
	conditions := configs.Conditions(p.Effective())
	for i, q := range p.Queries() {
		s := q.Sensitivity()
		half, perRow := q.HalfWidth()
		var least *float64
		if n := p.WithLeastRowBound(i); n != nil {
			from, _ := n.HalfWidth()
			least = &from
		}
		all = append(all, plannedQuery{
			Name: q.Query.Name(), Kind: string(q.Kind), Cells: q.Query.Cells(), Conditions: conditions[q.Query.Name()],
			Sensitivity: s.L2, Why: s.Why,
			Sigma: q.Sigma(), Deviation: q.Deviation(), HalfWidth: half, PerRow: perRow,
			Mu: float64(q.Mu()), Share: budgetShare(p,
				&q), Threshold: q.Threshold(), MinUnits: q.MinUnits(), KeysOf: keysOf(&q), NoiseThreshold: noiseThreshold(&q),
			CommonNoise: commonNoiseGainOf(p, &q),
			Least:       least, MinCount: p.ProposedMinCount(i), Adjusted: adjustedOf(&q),
			Parts: plannedParts(&q), Strategy: q.Strategy,
		})
	}
	text := map[string]any{
		"name": p.Name(), "params": p.Params(), "epsilon": p.Guarantee().Epsilon, "delta": p.Guarantee().Delta, "mu": p.Mu(),
		"adjacency": p.Adjacency(), "unit": p.Account().Unit, "delta_failure": p.FailureShare(), "statement": p.Statement(),
		"columns": p.Columns(), "stdin": slices.Contains(p.Job().Input.Files, source.Stdin),
		"queries": all, "worth": worthOf(p),
	}
	if with := p.WithOtherDelta(); with != nil {
		text["with_another_delta"] = with
	}
	if p.Job().Input.SQL != nil {
		text["local_engine"], text["why_engine"] = sqlpush.Choose(p).Local, sqlpush.Choose(p).Why
	}
	if t := p.Targets(); t != nil {
		text["targets"] = map[string]any{"least_epsilon": json.Number(t.Text), "weights_auto": t.Auto,
			"factor_to_spare": t.Spare}
	}
	return text
}

func planText(p *pipeline.Plan) string {
	text := console.Fill("%s: epsilon %s, delta %s (mu %s), unit %s, %s; no data was read\n\n", p.Name(),
		p.Job().Privacy.Epsilon, p.Job().Privacy.Delta, spelling.Up(float64(p.Mu()), 6), p.Account().Unit, p.Adjacency())
	if promise := p.Upstream(); promise != "" {
		text += console.Fill("by the promise of the table's producer, %s: this program neither bounds nor checks it\n\n",
			promise)
	}
	if p.Job().Input.SQL != nil {
		text += console.Fill("%s\n%s\n\n", engineText(p), versionsText(p))
	}
	rows := [][]string{{"query", "cells", "sensitivity", sharedOut(p), "sigma", "95 % ±", "because"}}
	for i, q := range p.Queries() {
		s := q.Sensitivity()
		half := halfWidth(&q)
		if least := p.WithLeastRowBound(i); least != nil {
			from, _ := least.HalfWidth()
			half = spelling.Up(from, 4) + " to " + strings.TrimPrefix(half, atMost)
		}
		l2, sigma := spelling.Short(s.L2, 6), spelling.Down(q.Sigma(), 6)
		if q.Strategy != nil && len(q.Mechanisms) > 1 {
			l2, sigma, s.Why = "-", "-", fmt.Sprintf("%d components share the noise, see below", len(q.Mechanisms))
		}
		rows = append(rows, []string{q.Query.Name(), cellCount(&q), l2, fmt.Sprintf("%.1f %%", 100*budgetShare(p, &q)),
			sigma, half, s.Why})
	}
	text += console.Aligned(rows) + conditionsText(p)
	for i, q := range p.Queries() {
		text += strategyText(&q) + commonNoiseText(p, &q) + followersText(p, i)
	}
	return text + targetsText(p)
}

// conditionsText lists the filters of the queries in words, each with the names of its queries.
func conditionsText(p *pipeline.Plan) (out string) {
	all := configs.Conditions(p.Effective())
	var texts []string
	names := map[string][]string{}
	for _, q := range p.Queries() {
		name := q.Query.Name()
		text := all[name]
		if text != "" && names[text] == nil {
			texts = append(texts, text)
		}
		names[text] = append(names[text], name)
	}
	for _, text := range texts {
		out += console.Fill("\n%s: %s\n", strings.Join(names[text], ", "), text)
	}
	return out
}

// engineText returns a sentence about who aggregates the rows of a database: this program or the database.
func engineText(p *pipeline.Plan) string {
	c := sqlpush.Choose(p)
	if c.Local {
		return "this program reads the rows and adds them up: " + c.Why
	}
	return "the database adds the rows up: " + c.Why
}

// versionsText returns a sentence about which version of a database's rows a run reads if it is interrupted and
// resumed.
func versionsText(p *pipeline.Plan) string {
	of := runjob.DatabaseOf(p.Job())
	if sqlpush.KeepsVersions(of) {
		formats := "Iceberg or Delta"
		if of.Driver == "trino" {
			formats = "Iceberg"
		}
		return "if the table is one of " + formats + ", a run reads its newest version, and reads the same one if it is " +
			"cut short and resumed"
	}
	if sqlpush.IsVersion(of) {
		return "the input is one version of a table: a run that is cut short and resumed reads the same rows"
	}
	return "the input keeps no versions: a run that is cut short and resumed reads the rows that the table has then"
}

// followersText lists the queries that use the keys selected by a query, and the cost of the selection.
func followersText(p *pipeline.Plan, query int) string {
	var names []string
	for _, q := range p.Queries() {
		if leader, follows := q.Leader(); follows && leader == query {
			names = append(names, q.Query.Name())
		}
	}
	if q := &p.Queries()[query]; len(names) > 0 {
		return console.Fill("\n%s selects the keys for %s too, once: with %.1f %% of mu² and %s of delta\n", q.Query.Name(),
			strings.Join(names, ", "), 100*budgetShare(p, q), spelling.Up(float64(q.Selection.Failure), 3))
	}
	return ""
}

// targetsText states the epsilon that the job's accuracy targets need.
func targetsText(p *pipeline.Plan) string {
	t := p.Targets()
	if t == nil {
		return ""
	}
	weights := "by the weights of the queries"
	if t.Auto {
		weights = "with the weights computed from them"
	}
	asked := "as asked"
	switch spare := spelling.Short(max(t.Spare, 1/t.Spare), 4); {
	case spare == "1":
	case t.Spare > 1:
		asked = spare + " times smaller than asked"
	default:
		asked = spare + " times larger than asked"
	}
	return console.Fill("\ntargets: the least epsilon for all of them is %s, %s; at epsilon %s half-widths are %s\n",
		t.Text,
		weights, p.Job().Privacy.Epsilon, asked)
}

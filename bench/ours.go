package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// jobText is a job of one query: its privacy unit, its file and the query itself.
const jobText = `
version: 1
name: bench
privacy: {epsilon: 1, delta: 1e-6, %s}
input: {files: [%s], where: %s%s}
queries:%s
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: bench, budget: {epsilon: 1, delta: 1e-6}}
`

// ours answers as a run does between the charge and the noise: it opens the input and aggregates.
type ours struct {
	plan    *pipeline.Plan
	input   source.Options
	threads int
}

func newOurs(query string, threads int, t tables) (*ours, error) {
	local.CollectEarly() // as release run does
	plan, err := planOf(query, t)
	if err != nil {
		return nil, err
	}
	input := source.Options{Dir: t.dir, Files: plan.Job().Input.Files, CSV: source.CSV{Header: true}, Workers: threads}
	return &ours{plan: plan, input: input, threads: threads}, nil
}

// planOf makes the plan of a query. It reads the public list of categories and no data.
func planOf(name string, t tables) (*pipeline.Plan, error) {
	q := queries[name]
	list := ""
	for i, one := range strings.Split(strings.ReplaceAll(q.ours, "%s", filepath.Base(t.public("categories"))), separator) {
		list += fmt.Sprintf("\n  - name: answer%d\n    %s", i, one)
	}
	zone := ""
	if q.zone != "" {
		zone = ", timezone: " + q.zone
	}
	text := fmt.Sprintf(jobText, q.privacy, filepath.Base(t.path(q)), cmp.Or(q.where, "[]"), zone, list)
	job, diags := configs.Parse(filepath.Join(t.dir, "job.yaml"), []byte(text), configs.ParseOptions{})
	if len(diags) > 0 {
		return nil, diags
	}
	plan, diags := pipeline.New(job, func(file, column string, aligned bool) ([]string, error) {
		return source.ReadColumn(context.Background(), file, column, aligned)
	})
	if len(diags) > 0 {
		return nil, diags
	}
	return plan, nil
}

func (o *ours) answer(ctx context.Context) error {
	_, err := o.aggregate(ctx)
	return err
}

func (o *ours) aggregate(ctx context.Context) (*pipeline.Aggregates, error) {
	data, err := source.Open(ctx, o.input)
	if err != nil {
		return nil, err
	}
	e := local.New(data, o.threads)
	defer func() { _ = e.Close() }()
	return e.Aggregate(ctx, o.plan, pipeline.Silent{})
}

func (o *ours) close() error { return nil }

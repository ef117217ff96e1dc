package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// jobText is a job of one query: its privacy unit, its file and the query itself.
const jobText = `
version: 1
name: bench
privacy: {epsilon: 1, delta: 1e-6, %s}
input: {%s%s}
queries:%s
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: bench, budget: {epsilon: 1, delta: 1e-6}}
`

// ours answers as a run does between charge and noise: it opens the input and computes the exact aggregates.
type ours struct {
	plan    *pipeline.Plan
	threads int
}

func newOurs(query string, threads int, t tables) (*ours, error) {
	local.CollectEarly() // with the garbage collector's setting of release run
	plan, err := planOf(query, t)
	if err != nil {
		return nil, err
	}
	return &ours{plan: plan, threads: threads}, nil
}

// planOf makes the plan of a query. It reads the public list of categories and no data.
func planOf(name string, t tables) (*pipeline.Plan, error) {
	q := queries[name]
	input := "files: [" + filepath.Base(t.path(q)) + "], where: " + cmp.Or(q.where, "[]")
	list, from := "", ""
	if q.tables != "" {
		input, from = "tables: {"+strings.ReplaceAll(q.tables, "%d", strconv.Itoa(t.rows))+"}", "\n    from: "+q.from
	}
	for i, one := range strings.Split(strings.ReplaceAll(q.ours, "%s", filepath.Base(t.public("categories"))), separator) {
		list += fmt.Sprintf("\n  - name: answer%d%s\n    %s", i, from, one)
	}
	zone := ""
	if q.zone != "" {
		zone = ", timezone: " + q.zone
	}
	text := fmt.Sprintf(jobText, q.privacy, input, zone, list)
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
	e, err := openEngine(ctx, o.plan, o.threads)
	if err != nil {
		return nil, err
	}
	defer func() { _ = e.Close() }()
	return e.Aggregate(ctx, o.plan, pipeline.Silent{})
}

// closer is an engine with open files, which Close closes.
type closer interface {
	pipeline.Engine
	Close() error
}

func openEngine(ctx context.Context, plan *pipeline.Plan, threads int) (closer, error) {
	var opened []*source.Dataset
	for _, options := range wiring.Sources(plan.Job()) {
		options.Workers = threads
		data, err := source.Open(ctx, options)
		if err != nil {
			return nil, err
		}
		opened = append(opened, data)
	}
	if len(plan.Tables()) == 0 {
		return local.New(opened[0], threads), nil
	}
	return local.NewTables(opened, local.Limits{Workers: threads}), nil
}

func (o *ours) close() error { return nil }

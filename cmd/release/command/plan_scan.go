package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// scanPlan opens the input for its headers or footers and says how it will be read; nil: the input is not there.
func (a *app) scanPlan(ctx context.Context, p *pipeline.Plan, l local.Limits) (*local.ScanPlan, error) {
	engine, err := jobs.Opener(p.Job(), l, nil)(ctx)
	if errors.Is(err, pipeline.ErrInputGone) {
		return nil, nil
	}
	if err != nil {
		return nil, pipeline.InputError(err)
	}
	defer engine.Close()
	if diags := p.CheckWith(engine); len(diags) > 0 {
		return nil, console.JobError{Diagnostics: diags}
	}
	e, ok := engine.(*local.Engine)
	if !ok {
		return nil, nil
	}
	return e.Explain(p)
}

func (a *app) printScan(p *pipeline.Plan, s *local.ScanPlan) error {
	if s == nil {
		return a.Printf("\nscan: the input is not there; %d columns will be read: %s\n", len(p.Columns()), strings.Join(p.Columns(), ", "))
	}
	if err := a.Printf("\nscan: one pass for %s, by %s, over %s of %s; the cells take %s\n",
		console.Count(len(p.Queries()), "query"), console.Count(s.Workers, "worker"), console.Count(s.Splits, "split"),
		console.Count(s.Files, "file"), binary(s.Cells)); err != nil {
		return err
	}
	if len(p.Filters().Columns()) > 0 {
		if err := a.Printf("filters come before all queries; by the footers' statistics they rule out %s\n", console.Count(s.Skipped, "split")); err != nil {
			return err
		}
	}
	if len(s.Columns) == 0 {
		return a.Printf("no column is decoded\n")
	}
	rows := [][]string{{"column", "type", "decoded once for"}}
	for _, c := range s.Columns {
		rows = append(rows, []string{c.Name, c.Type, strings.Join(c.Uses, ", ")})
	}
	return a.PrintTable(rows)
}

// binary writes a number of bytes.
func binary(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)/1024)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

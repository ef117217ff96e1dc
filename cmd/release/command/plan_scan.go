package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// What the verb plan prints about the input comes from the schema and the number of files. A file's footer also states
// the number of rows and the min and max of columns. These are exact facts about private rows, so plan prints nothing
// that depends on them, such as how many rows a filter skips.

// scanPlan opens the input for the schema in its headers or footers and returns what a run would read; nil if the input
// is in a database or does not exist.
func (a *app) scanPlan(ctx context.Context, p *pipeline.Plan, l local.Limits) (*local.ScanPlan, error) {
	if p.Job().Input.SQL != nil {
		return nil, nil
	}
	engine, err := runjob.Opener(p, l, nil)(ctx)
	if errors.Is(err, pipeline.ErrInputGone) {
		return nil, nil
	}
	if err != nil {
		return nil, pipeline.InputError(err)
	}
	defer engine.Close()
	if diags := p.CheckWith(engine); len(diags) > 0 {
		return nil, diags
	}
	e, ok := engine.(*local.Engine)
	if !ok { // the plan has no single table: the job has several
		return nil, nil
	}
	return e.Explain(p)
}

func scanText(p *pipeline.Plan, s *local.ScanPlan) string {
	if s == nil {
		where := "the input is not there"
		if p.Job().Input.SQL != nil {
			where = "the input is in a database"
		} else if len(p.Tables()) > 0 {
			where = "the tables are read one after the other, after those that are joined to them"
		}
		return console.Fill("\nscan: %s; %d columns will be read: %s\n", where, len(p.Columns()),
			strings.Join(p.Columns(), ", "))
	}
	text := console.Fill("\nscan: one pass for %s over %s, by %s at most; queries and cells take %s at most\n",
		spelling.Count(len(p.Queries()), "query"), spelling.Count(s.Files, "file"), spelling.Count(s.Workers,
			"worker"), binary(s.Cells))
	if len(p.Filters().Columns()) > 0 {
		text += "filters come before all queries\n"
	}
	if len(s.Columns) == 0 {
		return text + "no column is decoded\n"
	}
	rows := [][]string{{"column", "type", "decoded once for"}}
	for _, c := range s.Columns {
		rows = append(rows, []string{c.Name, c.Type, strings.Join(c.Uses, ", ")})
	}
	return text + console.Aligned(rows)
}

// binary formats a number of bytes with a unit such as MiB.
func binary(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)/1024)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

package local

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
)

// ScanPlan is what a scan of the input will do, as far as footers say it: it reads no row.
type ScanPlan struct {
	Files int `json:"files"`
	// Splits are the parts that workers take one after the other: row groups, record batches, pieces of CSV files. Skipped
	// are those that the footers rule out by the filters.
	Splits  int `json:"splits"`
	Skipped int `json:"splits_skipped"`
	// Pages are those of the columns in the other splits, as far as page indexes tell, and how many of them the filters rule out.
	Pages   source.Pages `json:"pages"`
	Workers int          `json:"workers"`
	// Cells is what the cells of all queries take, in bytes.
	Cells   int64        `json:"cell_bytes"`
	Columns []ScanColumn `json:"columns"`
}

// ScanColumn is a column of the input that is decoded, once for all that use it.
type ScanColumn struct {
	Name string   `json:"name"`
	Type string   `json:"type"`
	Uses []string `json:"used_by"`
}

// filterUse is what a filter's column is used by.
const filterUse = "input.where"

// Explain says how Aggregate will read the input.
func (e *Engine) Explain(ctx context.Context, p *pipeline.Plan) (*ScanPlan, error) {
	m, err := e.limits.share(p)
	if err != nil {
		return nil, err
	}
	rows, err := e.selection(p)
	if err != nil {
		return nil, err
	}
	s := &ScanPlan{Files: len(e.data.Files()), Splits: e.data.Splits()}
	s.Workers = min(m.workers, max(s.Splits, 1))
	s.Cells = cellBytes(p, s.Workers, m.cells)
	for split := range s.Splits {
		if rows.Skips(split) {
			s.Skipped++
		}
	}
	if s.Pages, err = rows.Pages(ctx, p.Columns()); err != nil {
		return nil, pipeline.InputError(err)
	}
	for i, name := range p.Columns() {
		f, _ := e.data.Schema().Lookup(name)
		s.Columns = append(s.Columns, ScanColumn{Name: name, Type: f.Type.String(), Uses: uses(p, i)})
	}
	return s, nil
}

// uses lists what needs a column of the plan.
func uses(p *pipeline.Plan, column int) (out []string) {
	needs := func(names []string) bool {
		return slices.ContainsFunc(p.Views(), func(view []int) bool {
			return slices.ContainsFunc(names, func(name string) bool { return view[slices.Index(p.Logical(), name)] == column })
		})
	}
	if needs(p.Filters().Columns()) {
		out = append(out, filterUse)
	}
	for _, q := range p.Queries() {
		if needs(q.Query.Columns()) {
			out = append(out, q.Query.Name())
		}
	}
	return out
}

package local

import (
	"slices"

	"github.com/dprelease/dprelease/pipeline"
)

// ScanPlan describes how the input will be scanned. It is computed only from the job, the machine, the number of the
// input's files and their schema. It has no number of rows, row groups or bytes, and does not tell which row groups
// statistics exclude, because these are exact facts about private rows.
type ScanPlan struct {
	Files int `json:"files"`
	// Workers is the largest number of goroutines that read.
	Workers int `json:"workers"`
	// Cells is the largest amount of memory for the cells of all queries, in bytes.
	Cells   int64        `json:"cell_bytes"`
	Columns []ScanColumn `json:"columns"`
}

// ScanColumn is a column of the input that is decoded. It is decoded once, however many filters and queries use it.
type ScanColumn struct {
	Name string   `json:"name"`
	Type string   `json:"type"`
	Uses []string `json:"used_by"`
}

// filterUse is the use that the plan shows for a column of the job's filters.
const filterUse = "input.where"

// Explain describes how Aggregate will read the input.
func (e *Engine) Explain(p *pipeline.Plan) (*ScanPlan, error) {
	m, err := e.limits.share(p)
	if err != nil {
		return nil, err
	}
	s := &ScanPlan{Files: len(e.data.Files()), Workers: m.workers, Cells: cellBytes(p, m.workers, m.cells)}
	for i, name := range p.Columns() {
		f, _ := e.data.Schema().Lookup(name)
		s.Columns = append(s.Columns, ScanColumn{Name: name, Type: f.Type.String(), Uses: uses(p, i)})
	}
	return s, nil
}

// uses lists what a column is used for: filters and names of queries.
func uses(p *pipeline.Plan, column int) (out []string) {
	needs := func(names []string) bool {
		return slices.ContainsFunc(p.EventColumns(), func(view []int) bool {
			return slices.ContainsFunc(names, func(name string) bool { return view[slices.Index(p.Logical(), name)] == column })
		})
	}
	if needs(p.Filters().Columns()) {
		out = append(out, filterUse)
	}
	for i, q := range p.Queries() {
		if needs(p.Reads(i)) {
			out = append(out, q.Query.Name())
		}
	}
	return append(out, p.Derived().Readers(p.Columns()[column])...)
}

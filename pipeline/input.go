package pipeline

import (
	"fmt"
	"time"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// input plans what all queries of a table share: the time zone, the filters, derived columns.
func (b *builder) input(out *input) {
	in := &b.job.Input
	out.location = time.UTC
	if location, err := time.LoadLocation(in.Timezone); err == nil { // the name was checked with the job
		out.location = location
	}
	b.location = out.location
	filters, err := domain.NewFilters("input.where", filterSpecs(in.Where))
	if err != nil {
		b.diags = append(b.diags, diagnose(b.job, "", err)...)
	}
	out.filters = filters
}

// FolderFilter returns a function that reports whether a job's filters keep a file, given the columns that the names of
// its folders state (day=2024-01-02): their schema, and a batch of one row. The function is nil if no filter reads such
// a column. If the filters do not fit the schema, the function keeps every file, since the plan's check reports the
// filters.
func FolderFilter(in *configs.Input) func(table.Schema, *table.Batch) bool {
	where := in.FolderFilters()
	if len(where) == 0 {
		return nil
	}
	location, err := time.LoadLocation(in.Timezone)
	if err != nil {
		return nil
	}
	filters, err := domain.NewFilters("input.where", filterSpecs(where))
	if err != nil {
		return nil
	}
	return func(s table.Schema, folder *table.Batch) bool {
		compiled, err := filters.Compile(s, location)
		if err != nil {
			return true
		}
		row := &table.Batch{Rows: folder.Rows}
		for _, name := range filters.Columns() {
			row.Columns = append(row.Columns, folder.Columns[s.Index(name)])
		}
		return compiled.Apply(row) != nil || row.Keep == nil
	}
}

func filterSpecs(where []configs.Filter) []domain.FilterSpec {
	var specs []domain.FilterSpec
	for i := range where {
		f := &where[i]
		specs = append(specs, domain.FilterSpec{
			Column: f.Column, From: text(f.From), Before: text(f.Before), For: f.For, NotNull: f.NotNull,
			In: texts(f.In), NotIn: texts(f.NotIn), Min: text(f.Min), Max: text(f.Max),
		})
	}
	return specs
}

func text(s *configs.Scalar) *string {
	if s == nil {
		return nil
	}
	t := string(*s)
	return &t
}

// rows returns the number of rows of the input if the job declares it: in input.rows or in a mean. All declarations
// must agree.
func (b *builder) rows() int64 {
	rows := b.job.Input.Rows
	for i := range b.job.Queries {
		m := b.job.Queries[i].Mean
		switch {
		case m == nil || m.Rows == 0:
		case rows == 0:
			rows = m.Rows
		case rows != m.Rows:
			b.report(fmt.Sprintf("queries[%d].mean.rows", i), "contradiction",
				"the job declares another number of rows elsewhere", "there is one public number of rows: input.rows")
		}
	}
	return rows
}

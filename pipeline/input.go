package pipeline

import (
	"fmt"
	"time"

	"github.com/dprelease/dprelease/configs"
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

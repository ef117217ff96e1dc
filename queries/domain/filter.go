package domain

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// FilterSpec is one public condition on one column, or several that all must hold. Values mean what they mean in [Dimension]:
// those of In and NotIn as in Labels, the others as in Edges.
//
// A null, NaN or, if numbers are compared, a text that is no number fulfils no condition, not even NotIn. Infinite
// values are beyond all others and in no list.
type FilterSpec struct {
	Column string
	// From <= x < Before and Min <= x <= Max: decimal numbers, or dates and times.
	From, Before *string
	// For is the length of the time from From to the first moment left out: a whole number and s, m, h, d or w. If From has
	// no offset, days and weeks are those of the clocks: the day on which they change has 23 or 25 hours.
	For      string
	NotNull  bool
	In       []string
	NotIn    []string
	Min, Max *string
}

// Filters are conditions that a row must fulfil to be in any query.
type Filters struct{ Specs []FilterSpec }

// fieldFilters is the place of filters in a job.
const fieldFilters = "input.where"

// NewFilters checks filters. Errors are of type *Error, all of them at once, with fields from the root of the job; see
// [Errors].
func NewFilters(specs []FilterSpec) (Filters, error) {
	p := &problem.Problems{}
	for i := range specs {
		specs[i].checkForm(fmt.Sprintf("%s[%d]", fieldFilters, i), p)
	}
	return Filters{slices.Clone(specs)}, p.Err()
}

func (f *FilterSpec) checkForm(field string, p *problem.Problems) {
	if f.Column == "" {
		p.Add(field+".column", problem.CodeBadSpec, "a filter needs a column", "")
	}
	if !f.NotNull && len(f.In) == 0 && len(f.NotIn) == 0 && !f.Ranged() {
		p.Add(field, problem.CodeBadSpec, "a filter needs a condition", "conditions: from, before, for, not_null, in, not_in, min, max")
	}
	if f.For == "" {
		return
	}
	if _, _, ok := window(f.For); !ok {
		p.Add(field+".for", problem.CodeBadValue, fmt.Sprintf("%q is not a length of time", f.For), "write a whole number and s, m, h, d or w: 1h")
	}
	if f.From == nil || f.Before != nil {
		p.Add(field+".for", problem.CodeBadSpec, "for needs from, at which the window starts, and no before", "")
	}
}

// Ranged says that the filter compares values with the bounds of a range.
func (f *FilterSpec) Ranged() bool {
	return f.From != nil || f.Before != nil || f.For != "" || f.Min != nil || f.Max != nil
}

// Columns returns the columns that the filters need, each once, in order of first use.
func (f Filters) Columns() []string {
	var columns []string
	for _, s := range f.Specs {
		if !slices.Contains(columns, s.Column) {
			columns = append(columns, s.Column)
		}
	}
	return columns
}

// Compile compiles the filters against the table's schema, of which each batch will hold the columns of Columns, in that
// order. Zone is that of times without an offset if the column holds instants, UTC if it is nil. Errors are of type *Error, all
// of them at once, with fields from the root of the job; see [Errors].
func (f Filters) Compile(s table.Schema, zone *time.Location) (*CompiledFilters, error) {
	p := &problem.Problems{}
	l := Layout{Schema: s, Columns: f.Columns(), Problems: p}
	selector := &CompiledFilters{}
	for i := range f.Specs {
		selector.conditions = append(selector.conditions, f.Specs[i].Compile(l, zone, fmt.Sprintf("%s[%d]", fieldFilters, i))...)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return selector, nil
}

// Compile makes the tests of a filter's conditions.
func (f *FilterSpec) Compile(l Layout, zone *time.Location, field string) []Condition {
	at, t, ok := l.Find(f.Column, field+".column")
	if !ok {
		return nil
	}
	var tests []Condition
	add := func(want int32, c valueCoder, errs []*problem.Error) {
		for _, e := range errs {
			l.Problems.Add(field+e.Field, e.Code, e.Message, e.Hint)
		}
		tests = append(tests, Condition{AxisCoder{At: at, Kind: t, Values: c, Null: columnar.Dropped}, want, newExcluder(c, want)})
	}
	if f.NotNull {
		c, errs := newNotNull(t)
		add(0, c, errs)
	}
	if len(f.In) > 0 {
		c, errs := listed(f.In, ".in", t, zone)
		add(0, c, errs)
	}
	if len(f.NotIn) > 0 {
		c, errs := listed(f.NotIn, ".not_in", t, zone)
		add(unlisted, c, errs)
	}
	if f.Ranged() {
		c, errs := f.between(t, zone)
		add(0, c, errs)
	}
	return tests
}

// unlisted is the code of values that are not in a list; those in it have the code 0.
const unlisted = 1

// listed makes a coder for a list, of which the place below the filter's is field.
func listed(members []string, field string, t table.Type, zone *time.Location) (valueCoder, []*problem.Error) {
	d := labelDomain{labels: []Label{{Members: members}}, zone: zone}
	c, errs := d.compile(t, ExtraCells{Null: columnar.Dropped, Other: unlisted})
	for _, e := range errs {
		if e.Code != problem.CodeColumnType {
			e.Field = field
		}
	}
	return c, errs
}

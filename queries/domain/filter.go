package domain

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

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

// Compile compiles the filters against the table's schema, of which each batch will hold the columns of Columns, in
// that order. Zone is that of times without an offset if the column holds instants, UTC if it is nil. Errors are of
// type *Error, all of them at once, with fields from the root of the job; see [Errors].
func (f Filters) Compile(s table.Schema, zone *time.Location) (*CompiledFilters, error) {
	p := &problem.Problems{}
	l := Layout{Schema: s, Columns: f.Columns(), Problems: p}
	selector := &CompiledFilters{}
	for i := range f.Specs {
		selector.conditions = append(selector.conditions, f.Specs[i].Compile(l, zone,
			fmt.Sprintf("%s[%d]", fieldFilters, i))...)
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
		tests = append(tests, Condition{AxisCoder{At: at, Kind: t, Values: c, Null: columnar.Dropped}, want,
			newExcluder(c, want)})
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

package domain

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// Filters are conditions that a row must fulfil to be counted in all queries, or in one query.
type Filters struct {
	// Field is the path of the conditions in the job.
	Field string
	Specs []FilterSpec
}

// NewFilters checks conditions, which are at field in the job. It reports all errors at once; each is a *problem.Error
// whose Field is a path from the root of the job (see [problem.Errors]).
func NewFilters(field string, specs []FilterSpec) (Filters, error) {
	p := &problem.Problems{}
	for i := range specs {
		specs[i].checkForm(fmt.Sprintf("%s[%d]", field, i), p)
	}
	return Filters{field, slices.Clone(specs)}, p.Err()
}

// Key returns a text that is equal for equal conditions alone. Texts of conditions are those of a job, so they are
// UTF-8.
func (f Filters) Key() string {
	text, _ := json.Marshal(f.Specs) // texts and booleans have no errors
	return string(text)
}

// Columns returns the columns that the filters read, each once, in order of first use.
func (f Filters) Columns() []string {
	var columns []string
	for _, s := range f.Specs {
		if !slices.Contains(columns, s.Column) {
			columns = append(columns, s.Column)
		}
	}
	return columns
}

// Compile prepares the filters for a table's schema. Each batch must hold the columns of Columns, in that order. zone
// is the time zone of times without an offset, if the column holds instants; nil is UTC. Compile reports all errors at
// once, as *problem.Error values with fields from the root of the job; see [problem.Errors].
func (f Filters) Compile(s table.Schema, zone *time.Location) (*CompiledFilters, error) {
	conditions, err := f.Conditions(s, zone)
	if err != nil {
		return nil, err
	}
	return NewCompiledFilters(conditions, f.Columns()), nil
}

// Conditions returns the conditions for the columns of a table's schema. zone and the errors are as in Compile.
func (f Filters) Conditions(s table.Schema, zone *time.Location) (all []Condition, err error) {
	p := &problem.Problems{}
	l := BatchColumns{Schema: s, Columns: f.Columns(), Problems: p}
	for i := range f.Specs {
		all = append(all, f.Specs[i].Conditions(l, zone, fmt.Sprintf("%s[%d]", f.Field, i))...)
	}
	return all, p.Err()
}

// NewCompiledFilters prepares conditions for batches that hold these columns, in order.
func NewCompiledFilters(conditions []Condition, columns []string) *CompiledFilters {
	f := &CompiledFilters{}
	for i := range conditions {
		f.tests = append(f.tests, conditions[i].Test(BatchColumns{Columns: columns}))
	}
	return f
}

// Conditions returns the conditions that a filter consists of. Errors are added to l.Problems, at field.
func (f *FilterSpec) Conditions(l BatchColumns, zone *time.Location, field string) (all []Condition) {
	_, t, ok := l.Find(f.Column, field+".column")
	if !ok {
		return nil
	}
	add := func(want int32, c Coding, errs []*problem.Error) {
		for _, e := range errs {
			l.Problems.Add(field+e.Field, e.Code, e.Message, e.Hint)
		}
		c.Column, c.Type, c.Null = f.Column, t, Dropped
		if c.Other = Dropped; c.Ints != nil || c.Floats != nil || c.Texts != nil {
			c.Other = unlisted
		}
		c.shareValues()
		all = append(all, Condition{c, want})
	}
	if f.NotNull {
		var errs []*problem.Error
		if t.Kind == table.Invalid {
			err := problem.BadType(t)
			err.Field = ".column"
			errs = append(errs, err)
		}
		add(0, Coding{NotNull: true}, errs)
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
	return all
}

// unlisted is the code of values that are not in a list. Listed values have the code 0.
const unlisted = 1

// listed returns the coding for a condition on listed values. field is the path of the list, relative to the filter.
func listed(members []string, field string, t table.Type, zone *time.Location) (Coding, []*problem.Error) {
	d := labelDomain{labels: []Label{{Members: members}}, zone: zone}
	c, errs := d.coding(t, ExtraCells{})
	for _, e := range errs {
		if e.Code != problem.CodeColumnType {
			e.Field = field
		}
	}
	return c, errs
}

package queries

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/io/table"
)

// FilterSpec is one public condition on one column, or several that all must hold. Values mean what they mean in [Dimension]:
// those of In and NotIn as in Labels, the others as in Edges.
//
// A null, NaN or, where numbers are compared, a text that is no number fulfils no condition, not even NotIn. Infinite
// values are beyond all others and in no list.
type FilterSpec struct {
	Column string
	// From <= x < Before and Min <= x <= Max: decimal numbers, or dates and times.
	From, Before *string
	// For is the length of the time from From to the first moment left out: a whole number and s, m, h, d or w. Where From has
	// no offset, days and weeks are those of the clocks: the day on which they change has 23 or 25 hours.
	For      string
	NotNull  bool
	In       []string
	NotIn    []string
	Min, Max *string
}

// Filters are conditions that a row must fulfil to be in any query.
type Filters struct{ specs []FilterSpec }

// fieldFilters is the place of filters in a job.
const fieldFilters = "input.where"

// NewFilters checks filters. Errors are of type *Error, all of them at once, with fields from the root of the job; see
// [Errors].
func NewFilters(specs []FilterSpec) (Filters, error) {
	p := &problems{}
	for i := range specs {
		specs[i].check(fmt.Sprintf("%s[%d]", fieldFilters, i), p)
	}
	return Filters{slices.Clone(specs)}, p.err()
}

func (f *FilterSpec) check(field string, p *problems) {
	if f.Column == "" {
		p.add(field+".column", CodeBadSpec, "a filter needs a column", "")
	}
	if !f.NotNull && len(f.In) == 0 && len(f.NotIn) == 0 && !f.ranged() {
		p.add(field, CodeBadSpec, "a filter needs a condition", "conditions: from, before, for, not_null, in, not_in, min, max")
	}
	if f.For == "" {
		return
	}
	if _, _, ok := window(f.For); !ok {
		p.add(field+".for", CodeBadValue, fmt.Sprintf("%q is not a length of time", f.For), "write a whole number and s, m, h, d or w: 1h")
	}
	if f.From == nil || f.Before != nil {
		p.add(field+".for", CodeBadSpec, "for needs from, at which the window starts, and no before", "")
	}
}

func (f *FilterSpec) ranged() bool {
	return f.From != nil || f.Before != nil || f.For != "" || f.Min != nil || f.Max != nil
}

// Columns returns the columns that the filters need, each once, in order of first use.
func (f Filters) Columns() []string {
	var columns []string
	for _, s := range f.specs {
		if !slices.Contains(columns, s.Column) {
			columns = append(columns, s.Column)
		}
	}
	return columns
}

// Compile compiles the filters against the table's schema, of which each batch will hold the columns of Columns, in that
// order. Zone is that of times without an offset where the column holds instants; nil: UTC. Errors are of type *Error, all
// of them at once, with fields from the root of the job; see [Errors].
func (f Filters) Compile(s table.Schema, zone *time.Location) (*Selector, error) {
	p := &problems{}
	l := layout{schema: s, columns: f.Columns(), problems: p}
	selector := &Selector{}
	for i := range f.specs {
		selector.tests = append(selector.tests, f.specs[i].compile(l, zone, fmt.Sprintf("%s[%d]", fieldFilters, i))...)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return selector, nil
}

// compile makes the tests of a filter's conditions.
func (f *FilterSpec) compile(l layout, zone *time.Location, field string) []test {
	at, t, ok := l.find(f.Column, field+".column")
	if !ok {
		return nil
	}
	var tests []test
	add := func(want int32, c valueCoder, errs []*Error) {
		for _, e := range errs {
			l.problems.add(field+e.Field, e.Code, e.Message, e.Hint)
		}
		tests = append(tests, test{axisCoder{at: at, kind: t, values: c, null: dropped}, want, newExcluder(c, want)})
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
	if f.ranged() {
		c, errs := f.between(t, zone)
		add(0, c, errs)
	}
	return tests
}

// unlisted is the code of values that are not in a list; those in it have the code 0.
const unlisted = 1

// listed makes a coder for a list, of which the place below the filter's is field.
func listed(members []string, field string, t table.Type, zone *time.Location) (valueCoder, []*Error) {
	d := labelDomain{labels: []Label{{Members: members}}, zone: zone}
	c, errs := d.compile(t, bins{null: dropped, other: unlisted})
	for _, e := range errs {
		if e.Code != CodeColumnType {
			e.Field = field
		}
	}
	return c, errs
}

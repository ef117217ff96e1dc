package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/derived"
)

// Logical columns
//
// Queries and filters name logical columns. Without input.events these are columns of the input. With input.events, a
// row of the input becomes several logical rows, one for each event: a trip, for example, has a departure and an
// arrival. An event states which column of the input stands for each logical column: views.at[e][i] is the index, in
// Extended, of logical column i for event e. Extended lists the columns of a batch in this order: those that are read,
// those that joins add, and those that are derived.

// read decides which columns must be read for the logical columns, and keeps only the derived columns and joins that
// these need.
func (in *input) read(logical []string, events []configs.Event, all *derived.Set) {
	v := views{logical: logical}
	if len(events) == 0 {
		events = []configs.Event{nil}
	}
	for _, e := range events {
		at := make([]int, len(logical))
		for i, name := range logical {
			at[i] = v.column(source(e, name))
		}
		v.at = append(v.at, at)
	}
	var base []string
	in.derived, base = all.For(v.columns)
	in.joins, base = neededJoins(in.joins, base)
	named := v.columns
	v.inputs = len(base)
	for i := range in.joins {
		base = append(base, in.joins[i].As...)
	}
	v.base = len(base)
	v.columns = slices.Concat(base, in.derived.Names())
	for _, at := range v.at {
		for i, k := range at {
			at[i] = slices.Index(v.columns, named[k])
		}
	}
	in.views = v
}

// source returns the column of the input that stands for a logical column in an event.
func source(e configs.Event, name string) string {
	if column, ok := e[name]; ok {
		return column
	}
	return name
}

func (v *views) column(name string) int {
	if i := slices.Index(v.columns, name); i >= 0 {
		return i
	}
	v.columns = append(v.columns, name)
	return len(v.columns) - 1
}

// Columns returns the input columns that the plan needs, each once, in order of first use. If the plan has several
// tables, each column is prefixed with its table's name, and columns that only joins need are included.
func (p *Plan) Columns() []string {
	if len(p.tables) == 0 {
		return p.input.views.columns[:p.input.views.inputs]
	}
	var all []string
	add := func(table string, columns []string) {
		for _, name := range columns {
			if name = table + "." + name; !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	for k := range p.tables {
		if len(p.QueriesOf(k)) == 0 {
			continue // the loop below adds this table's columns that joins read
		}
		t := &p.tables[k]
		add(t.name, t.views.columns[:t.views.inputs])
		for i := range t.joins {
			add(t.joins[i].name, t.joins[i].Side.Columns())
		}
	}
	return all
}

// filterCount returns the number of conditions in the job: of all tables and queries.
func (p *Plan) filterCount() (n int) {
	for _, in := range p.job.Inputs() {
		n += len(in.Where)
	}
	for i := range p.job.Queries {
		n += len(p.job.Queries[i].Where)
	}
	return n
}

// Extended returns the columns of a batch: Columns, then the columns that joins add, then the derived ones.
func (p *Plan) Extended() []string { return p.input.views.columns }

// Derived returns the derived columns that the plan needs. Its Places returns the job's keys that define them.
func (p *Plan) Derived() *derived.Set { return p.input.derived }

// Evaluator returns an evaluator that appends the derived columns to batches. The input has the columns that are read
// and joined; the result has all columns of Extended. It returns an error if Check would refuse the schema.
func (p *Plan) Evaluator(schema table.Schema) (*derived.Evaluator, error) {
	bound, err := p.input.derived.Bind(schema, p.input.location)
	if err != nil {
		return nil, diagnose(p.job, "", err)
	}
	return bound.Evaluator(p.input.views.columns[:p.input.views.base]), nil
}

// Logical returns the columns that queries and filters name, each once. Without events they are the columns of the
// input.
func (p *Plan) Logical() []string { return p.input.views.logical }

// EventColumns returns, for each event e, the index in Extended of every column of Logical: EventColumns()[e][i] is
// the index of logical column i. A job without events has one entry.
func (p *Plan) EventColumns() [][]int { return p.input.views.at }

// LogicalSchema returns the schema of the logical columns: the input's schema, with derived columns and the names of
// the events.
func (p *Plan) LogicalSchema(schema table.Schema) (table.Schema, configs.Diagnostics) {
	var diags configs.Diagnostics
	bound, err := p.input.derived.Bind(schema, p.input.location)
	if err != nil {
		return bound.Schema, diagnose(p.job, "", err)
	}
	schema = bound.Schema
	out := table.Schema{Fields: slices.Clone(schema.Fields)}
	for i, e := range p.job.Input.Events {
		for _, name := range slices.Sorted(maps.Keys(e)) {
			at := fmt.Sprintf("input.events[%d].%s", i, name)
			f, ok := schema.Lookup(e[name])
			if !ok {
				diags = append(diags, p.lacks(p.job, at, "the input", e[name], schema)...)
				continue
			}
			diags = append(diags, p.addField(&out, table.Field{Name: name, Type: f.Type}, i, at)...)
		}
	}
	return out, diags
}

// addField adds a logical column with the type that it has in an event. All events must agree on the type.
func (p *Plan) addField(s *table.Schema, f table.Field, event int, at string) configs.Diagnostics {
	k := slices.IndexFunc(s.Fields, func(g table.Field) bool { return g.Name == f.Name })
	switch {
	case k < 0:
		s.Fields = append(s.Fields, f)
	case event == 0:
		s.Fields[k] = f
	case s.Fields[k].Type != f.Type:
		return configs.Diagnostics{p.job.Diagnose(at, "column-type", "the events give "+f.Name+" columns of different types",
			"the columns of one name need one type")}
	}
	return nil
}

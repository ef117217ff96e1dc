package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
)

func newViews(logical []string, events []configs.Event) views {
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
	return v
}

// source is the input's column that stands for a logical one in an event.
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

// Columns returns the input columns that the plan needs, each once, in order of first use.
func (p *Plan) Columns() []string { return p.input.views.columns }

// Logical returns the columns that queries and filters name, each once. Without events they are those of the input.
func (p *Plan) Logical() []string { return p.input.views.logical }

// Views returns, for each row of the queries that a row of the input becomes, the position in Columns of every column
// of Logical.
func (p *Plan) Views() [][]int { return p.input.views.at }

// LogicalSchema returns the schema that queries and filters see: the input's, with the names of the events.
func (p *Plan) LogicalSchema(schema table.Schema) (table.Schema, configs.Diagnostics) {
	var diags configs.Diagnostics
	out := table.Schema{Fields: slices.Clone(schema.Fields)}
	for i, e := range p.job.Input.Events {
		for _, name := range slices.Sorted(maps.Keys(e)) {
			at := fmt.Sprintf("input.events[%d].%s", i, name)
			f, ok := schema.Lookup(e[name])
			if !ok {
				diags = append(diags, p.job.Diagnose(at, "unknown-column", "the input has no column "+e[name],
					"release check compares a job with its input"))
				continue
			}
			diags = append(diags, p.addField(&out, table.Field{Name: name, Type: f.Type}, i, at)...)
		}
	}
	return out, diags
}

// addField gives the logical column of an event its type, which all events must share.
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

package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/perunit"
)

// units plans the table of units, which has one row for each privacy unit, for the queries over units. It returns nil
// if there are no such queries.
func (b *builder) units() *perunit.Table {
	if !slices.ContainsFunc(b.job.Queries, func(q configs.Query) bool { return q.OverUnits() && b.job.Reads(&q) }) {
		return nil
	}
	t := &perunit.Table{Unit: b.job.Privacy.Unit.Columns, FloatUnit: b.job.Privacy.FloatUnit == "allow", Zone: b.location}
	for _, name := range slices.Sorted(maps.Keys(b.job.Units)) {
		u := b.job.Units[name]
		kind, of := u.Kind()
		c := perunit.Column{Name: name, Field: "units" + pathStep(name), Kind: perunit.Kind(kind), Of: of, By: u.By}
		if len(u.Clamp) == 2 {
			c.Lo, c.Hi = string(u.Clamp[0]), string(u.Clamp[1])
		}
		for _, conditions := range []map[string]configs.Scalar{u.Any, u.All} {
			for column, value := range conditions {
				if c.Where == nil {
					c.Where = map[string]string{}
				}
				c.Where[column] = string(value)
			}
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// OverUnits reports whether the query reads the table of [Plan.Units], which has one row for each privacy unit, instead
// of the input.
func (q *Planned) OverUnits() bool { return q.overUnits }

// FilterKey returns a text that is equal for two queries of a table if and only if they have the same filter: equal
// conditions on the same rows, which are those of the input or those of the table of units.
func (q *Planned) FilterKey() string { return fmt.Sprint(q.overUnits, q.Filters.Key()) }

// Reads returns the logical columns that query i needs. For a query over units they are the input's columns from which
// the table of units is made.
func (p *Plan) Reads(i int) []string {
	if p.queries[i].overUnits {
		return p.input.units.Reads()
	}
	return p.queries[i].columns()
}

// columns returns the columns that a query and its own filters name.
func (q *Planned) columns() []string {
	return slices.Concat(q.Query.Columns(), q.Filters.Columns())
}

// Units returns the table of units for an input with this schema, ready to be filled; nil if there are no queries over
// units. It returns an error if Check refuses the schema.
func (p *Plan) Units(schema table.Schema) (*perunit.Compiled, error) {
	if p.input.units == nil {
		return nil, nil
	}
	logical, diags := p.LogicalSchema(schema)
	if len(diags) > 0 {
		return nil, diags
	}
	return p.input.units.Bind(logical)
}

// AsksUnits reports whether some query is over units.
func (p *Plan) AsksUnits() bool {
	return slices.ContainsFunc(p.queries, func(q Planned) bool { return q.overUnits })
}

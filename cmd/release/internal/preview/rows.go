package preview

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// maker makes the rows of a preview. It makes one privacy unit after the other, gives each up to max_rows rows, and
// draws their values from the pools.
type maker struct {
	plan   *pipeline.Plan
	schema table.Schema // the columns of the input that the plan needs
	pools  []*pool
	random *random

	events []configs.Event
	unit   []int // indexes of the privacy unit's columns in schema
	own    map[int]value
	left   int // number of rows that the current unit still gets
	units  int
}

func newMaker(plan *pipeline.Plan, schema table.Schema, all []use) *maker {
	m := &maker{plan: plan, schema: schema, random: newRandom(), events: plan.Job().Input.Events, own: map[int]value{}}
	if len(m.events) == 0 {
		m.events = []configs.Event{nil}
	}
	logical, _ := plan.LogicalSchema(schema) // the plan's check will report mistakes
	m.pools = newPools(plan, logical, all, m.random)
	for _, c := range plan.Job().Privacy.Unit.Columns {
		if i := schema.Index(c); i >= 0 {
			m.unit = append(m.unit, i)
		}
	}
	return m
}

// maxUnitRows is the maximum number of rows of a unit, even if the job allows more, so that there are many units.
const maxUnitRows = 1_000

// next returns the values of the next row, one for each column of the schema.
func (m *maker) next() []value {
	if m.left == 0 {
		m.begin()
	}
	m.left--
	row := make([]value, len(m.schema.Fields))
	set := make([]bool, len(row))
	for i, v := range m.own {
		row[i], set[i] = v, true
	}
	for _, e := range m.events {
		for _, p := range m.pools {
			drawn := p.values[m.random.below(len(p.values))]
			for k, logical := range p.columns {
				if i := m.place(e, logical); i >= 0 && !set[i] {
					row[i], set[i] = drawn[k], true
				}
			}
		}
	}
	return row
}

// place returns the index of the input column that an event renames to logical; -1 if the input does not have it.
func (m *maker) place(e configs.Event, logical string) int {
	if column, ok := e[logical]; ok {
		return m.schema.Index(column)
	}
	return m.schema.Index(logical)
}

// begin starts the next unit: it chooses the unit's number of rows and its identifier.
func (m *maker) begin() {
	p := &m.plan.Job().Privacy.PerUnit
	most := max(p.MostRows(), p.MaxGroups*max(p.MaxRowsPerGroup, 1), 1)
	if len(m.plan.Job().Privacy.Unit.Columns) == 0 {
		most = 1
	}
	m.left = 1 + m.random.early(int(min(most, maxUnitRows)))
	for _, i := range m.unit {
		f := m.schema.Fields[i]
		m.own[i] = running(m.units, f.Name, f.Type)
		for _, p := range m.pools {
			if k := slices.Index(p.columns, f.Name); k >= 0 {
				m.own[i] = p.values[m.random.below(len(p.values))][k]
			}
		}
	}
	m.units++
}

const batchRows = 1 << 13

// read yields the rows in batches, as a reader of files does.
func (m *maker) read(ctx context.Context, rows int64, columns []string, yield func(*table.Batch) error) error {
	for rows > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		drawn := make([][]value, min(rows, batchRows))
		for i := range drawn {
			drawn[i] = m.next()
		}
		rows -= int64(len(drawn))
		b := &table.Batch{Rows: len(drawn)}
		for _, name := range columns {
			i := m.schema.Index(name)
			b.Columns = append(b.Columns, columnOf(drawn, i, m.schema.Fields[i].Type))
		}
		if err := yield(b); err != nil {
			return err
		}
	}
	return nil
}

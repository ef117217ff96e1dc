package preview

import (
	"errors"
	"io"
	"os"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// maker makes the rows of a preview: units, each with up to max_rows rows, whose values come from the pools.
type maker struct {
	plan   *pipeline.Plan
	schema table.Schema // of the input's columns that the plan needs
	pools  []*pool
	random *random

	events []configs.Event
	unit   []int // the places of the unit's columns in the schema
	own    map[int]value
	left   int // rows of the unit that are still to come
	units  int
}

func newMaker(plan *pipeline.Plan, schema table.Schema, all []use) *maker {
	m := &maker{plan: plan, schema: schema, random: newRandom(), events: plan.Job().Input.Events, own: map[int]value{}}
	if len(m.events) == 0 {
		m.events = []configs.Event{nil}
	}
	logical, _ := plan.LogicalSchema(schema) // the plan's check reports what is wrong
	m.pools = newPools(plan, logical, all, m.random)
	for _, c := range plan.Job().Privacy.Unit {
		if i := schema.Index(c); i >= 0 {
			m.unit = append(m.unit, i)
		}
	}
	return m
}

// mostOfUnit is how many rows a unit has at most, whatever the job allows: tables have many units.
const mostOfUnit = 1_000

// next makes the next row, one value a column of the schema.
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

// place is where the column is that stands for a logical one in an event; -1 if the input has none.
func (m *maker) place(e configs.Event, logical string) int {
	if column, ok := e[logical]; ok {
		return m.schema.Index(column)
	}
	return m.schema.Index(logical)
}

// begin makes the next unit.
func (m *maker) begin() {
	p := &m.plan.Job().Privacy.PerUnit
	most := max(p.MostRows(), p.MaxGroups*max(p.MaxRowsPerGroup, 1), 1)
	if len(m.plan.Job().Privacy.Unit) == 0 {
		most = 1
	}
	m.left = 1 + m.random.early(int(min(most, mostOfUnit)))
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

// batchRows is how many rows are written at a time.
const batchRows = 1 << 16

// write writes rows as an Arrow file.
func (m *maker) write(path string, rows int64, stop func() error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(m.encode(f, rows, stop), f.Close())
}

func (m *maker) encode(to io.Writer, rows int64, stop func() error) error {
	var fields []arrow.Field
	for _, f := range m.schema.Fields {
		fields = append(fields, arrow.Field{Name: f.Name, Type: arrowType(f.Type), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	out := ipc.NewWriter(to, ipc.WithSchema(schema))
	for rows > 0 {
		if err := stop(); err != nil {
			return err
		}
		n := min(rows, batchRows)
		if err := m.writeBatch(out, schema, int(n)); err != nil {
			return err
		}
		rows -= n
	}
	return out.Close()
}

func (m *maker) writeBatch(out *ipc.Writer, schema *arrow.Schema, rows int) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for range rows {
		for i, v := range m.next() {
			appendTo(b.Field(i), v)
		}
	}
	var record arrow.Record
	if len(m.schema.Fields) > 0 {
		record = b.NewRecord()
	} else {
		record = array.NewRecord(schema, nil, int64(rows))
	}
	defer record.Release()
	return out.Write(record)
}

func arrowType(t table.Type) arrow.DataType {
	switch t.Kind {
	case table.Bool:
		return arrow.FixedWidthTypes.Boolean
	case table.Int:
		return arrow.PrimitiveTypes.Int64
	case table.Uint:
		return arrow.PrimitiveTypes.Uint64
	case table.Float:
		return arrow.PrimitiveTypes.Float64
	case table.Date:
		return arrow.FixedWidthTypes.Date32
	case table.Timestamp:
		out := &arrow.TimestampType{Unit: map[int64]arrow.TimeUnit{1e9: arrow.Second, 1e6: arrow.Millisecond,
			1e3: arrow.Microsecond}[t.Unit]}
		if t.Unit == 1 {
			out.Unit = arrow.Nanosecond
		}
		if t.Zone == table.UTC {
			out.TimeZone = table.UTC
		}
		return out
	case table.List:
		return arrow.ListOf(arrow.PrimitiveTypes.Float64)
	}
	return arrow.BinaryTypes.String
}

func appendTo(b array.Builder, v value) {
	if v.null {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v.whole != 0)
	case *array.Int64Builder:
		b.Append(v.whole)
	case *array.Uint64Builder:
		b.Append(uint64(v.whole))
	case *array.Float64Builder:
		b.Append(v.real)
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.whole))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.whole))
	case *array.StringBuilder:
		b.Append(v.text)
	case *array.ListBuilder:
		b.Append(true)
		for _, x := range v.list {
			b.ValueBuilder().(*array.Float64Builder).Append(x)
		}
	}
}

package local

import (
	"context"
	"slices"
	"sync"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// gathered are rows of single units, in memory: of each unit, batches of the plan's columns.
type gathered map[string][]*table.Batch

// gatherer keeps the rows of some units within a number of bytes: when they are more it lets go of the unit that has most.
type gatherer struct {
	mutex sync.Mutex
	left  int64
	units map[string]*gatheredUnit
}

type gatheredUnit struct {
	bytes   int64
	dropped bool
	rows    []*rowBuilder
}

// gather reads the rows of some units. Those of the largest are left out if they do not fit in so many bytes.
func (e *Engine) gather(ctx context.Context, p *pipeline.Plan, units []auditUnit, bytes int64) (gathered, error) {
	g := &gatherer{left: bytes, units: make(map[string]*gatheredUnit, len(units))}
	for _, u := range units {
		g.units[u.key] = &gatheredUnit{}
	}
	keys := make([]*unitKeys, e.limits.Workers)
	for i := range keys {
		keys[i] = newUnitKeys(p, p.Columns())
	}
	_, err := e.scan(ctx, len(keys), func(ctx context.Context, i, split int) ([]byte, error) {
		keys[i].open(split)
		return e.data.Read(ctx, split, p.Columns(), func(b *table.Batch) error {
			keys[i].each(b, func(row int, key []byte) {
				if u := g.units[string(key)]; u != nil {
					g.add(u, b, row)
				}
			})
			return nil
		})
	}, func() {})
	if err != nil {
		return nil, err
	}
	out := gathered{}
	for key, u := range g.units {
		for _, r := range u.rows {
			if !u.dropped {
				out[key] = append(out[key], r.batch())
			}
		}
	}
	return out, nil
}

// add keeps a row. Rows of chosen units are few among all, so one lock serves all workers.
func (g *gatherer) add(u *gatheredUnit, b *table.Batch, row int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if u.dropped {
		return
	}
	if n := len(u.rows); n == 0 || u.rows[n-1].rows == gatheredRows {
		u.rows = append(u.rows, newRowBuilder(b))
	}
	n := u.rows[len(u.rows)-1].add(b, row)
	u.bytes += n
	for g.left -= n; g.left < 0; {
		var most *gatheredUnit
		for _, x := range g.units {
			if !x.dropped && (most == nil || x.bytes > most.bytes) {
				most = x
			}
		}
		g.left += most.bytes
		most.dropped, most.rows = true, nil
	}
}

// gatheredRows is the most rows of a batch that is gathered.
const gatheredRows = 1 << 12

// rowBuilder makes a batch of single rows of others.
type rowBuilder struct {
	rows    int
	columns []table.Column
}

func newRowBuilder(like *table.Batch) *rowBuilder {
	r := &rowBuilder{columns: make([]table.Column, len(like.Columns))}
	for i := range r.columns {
		r.columns[i].Type = like.Columns[i].Type
	}
	return r
}

func (r *rowBuilder) batch() *table.Batch { return &table.Batch{Rows: r.rows, Columns: r.columns} }

// rowBytes is about what a row takes beside its columns.
const rowBytes = 8

// add copies a row and returns about how many bytes it takes.
func (r *rowBuilder) add(b *table.Batch, row int) int64 {
	n := int64(rowBytes)
	for i := range r.columns {
		n += addValue(&r.columns[i], &b.Columns[i], row)
	}
	r.rows++
	return n
}

// addValue appends a row's value to a plain column.
func addValue(to, from *table.Column, row int) int64 {
	n, i := int64(rowBytes), from.Index(row)
	to.Valid = append(to.Valid, !from.IsNull(row))
	switch from.Type.Kind {
	case table.String:
		if to.Values.Offsets == nil {
			to.Values.Offsets = []uint32{0}
		}
		if !from.IsNull(row) {
			text := from.Values.Bytes(i)
			to.Values.Data = append(to.Values.Data, text...)
			n += int64(len(text))
		}
		to.Values.Offsets = append(to.Values.Offsets, uint32(len(to.Values.Data)))
	case table.List:
		if to.Lists == nil {
			to.Lists = []uint32{0}
		}
		list := from.List(row)
		to.Values.Floats = append(to.Values.Floats, list...)
		to.Lists = append(to.Lists, uint32(len(to.Values.Floats)))
		n += rowBytes * int64(len(list))
	case table.Float:
		to.Values.Floats = append(to.Values.Floats, valueAt(from.Values.Floats, i))
	default:
		to.Values.Ints = append(to.Values.Ints, valueAt(from.Values.Ints, i))
	}
	return n
}

// valueAt is a value, or 0 if a dictionary without values has none for a null.
func valueAt[T any](values []T, i int) (x T) {
	if i < len(values) {
		return values[i]
	}
	return x
}

// withKept is a batch without the rows that keep says no to; columns stay coded as they are.
func withKept(b *table.Batch, keep []bool) *table.Batch {
	out := &table.Batch{Columns: make([]table.Column, len(b.Columns))}
	var rows []int
	for row, k := range keep[:b.Rows] {
		if k {
			rows = append(rows, row)
		}
	}
	out.Rows = len(rows)
	for i := range b.Columns {
		out.Columns[i] = keptColumn(&b.Columns[i], rows)
	}
	return out
}

func keptColumn(c *table.Column, rows []int) table.Column {
	out := table.Column{Type: c.Type}
	if c.Codes == nil {
		for _, row := range rows {
			addValue(&out, c, row)
		}
		return emptied(out, c)
	}
	out.Dict, out.Values = c.Dict, c.Values
	out.Codes = make([]int32, len(rows))
	for i, row := range rows {
		out.Codes[i] = c.Codes[c.Entry(row)]
	}
	if c.Valid != nil {
		out.Valid = make([]bool, len(rows))
		for i, row := range rows {
			out.Valid[i] = c.Valid[c.Entry(row)]
		}
	}
	return out
}

// emptied is a column of no rows in the form that one of rows has, and without Valid if c has none.
func emptied(out table.Column, c *table.Column) table.Column {
	if c.Valid == nil {
		out.Valid = nil
	}
	if c.Type.Kind == table.String && out.Values.Offsets == nil {
		out.Values.Offsets = []uint32{0}
	}
	if c.Type.Kind == table.List && out.Lists == nil {
		out.Lists = []uint32{0}
	}
	return out
}

// halves shares the rows of batches out between two, row by row, the second half backwards: no answer may depend on who counts what when.
func halves(batches []*table.Batch) (out [2][]*table.Batch) {
	for _, b := range batches {
		for i := range out {
			keep := make([]bool, b.Rows)
			for row := i; row < b.Rows; row += len(out) {
				keep[row] = true
			}
			out[i] = append(out[i], withKept(b, keep))
		}
	}
	slices.Reverse(out[1])
	return out
}

// together is the rows of units, in order, up to a number of rows, in few batches.
func (g gathered) together(units []auditUnit, rows int) (out []*table.Batch) {
	var last *rowBuilder
	for _, u := range units {
		own := g[u.key]
		if rows -= countRows(own); rows < 0 {
			break
		}
		for _, b := range own {
			if last == nil || last.rows+b.Rows > gatheredRows {
				last = newRowBuilder(b)
				out = append(out, nil)
			}
			for row := range b.Rows {
				last.add(b, row)
			}
			out[len(out)-1] = last.batch()
		}
	}
	return out
}

func countRows(batches []*table.Batch) (n int) {
	for _, b := range batches {
		n += b.Rows
	}
	return n
}

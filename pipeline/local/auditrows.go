package local

import (
	"context"
	"slices"
	"sync"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// gathered holds the rows of single units in memory, as batches of the plan's columns, by unit.
type gathered map[string][]*table.Batch

// gatherer keeps the rows of some units within a limit of bytes. When they exceed it, it drops the unit that takes
// most.
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

// gather reads the rows of some units. If they do not fit in that many bytes, the largest units are left out.
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
		keys[i].startSplit(split)
		return e.data.Read(ctx, split, p.Columns(), func(b *table.Batch) error {
			keys[i].eachRow(b, func(row int, key []byte) {
				if u := g.units[string(key)]; u != nil {
					g.addRow(u, b, row)
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

// addRow keeps a row. Few rows belong to chosen units, so one lock is enough for all workers.
func (g *gatherer) addRow(u *gatheredUnit, b *table.Batch, row int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if u.dropped {
		return
	}
	if n := len(u.rows); n == 0 || u.rows[n-1].rows == gatheredRows {
		u.rows = append(u.rows, newRowBuilder(b))
	}
	n := u.rows[len(u.rows)-1].addRow(b, row)
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

// gatheredRows is how many rows a gathered batch has at most.
const gatheredRows = 1 << 12

// rowBuilder builds a batch from single rows of other batches.
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

// rowBytes is about how many bytes a row takes besides its columns.
const rowBytes = 8

// addRow copies a row and returns about how many bytes it takes.
func (r *rowBuilder) addRow(b *table.Batch, row int) int64 {
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

// valueAt returns a value; 0 if the dictionary is empty and the row is null.
func valueAt[T any](values []T, i int) (x T) {
	if i < len(values) {
		return values[i]
	}
	return x
}

// withKept returns a batch of the rows for which keep is true. Columns stay in their form.
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

// emptied completes a column that may have no rows: it has the form of a column with rows, and no Valid if c has none.
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

// halves divides the rows of batches between two halves, row by row, and reverses the second half: no answer may depend
// on which worker counts what, and when.
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

// together returns the rows of units, in order, in few batches, up to a number of rows.
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
				last.addRow(b, row)
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

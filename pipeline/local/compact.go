package local

import (
	"github.com/dprelease/dprelease/io/table"
)

// compactor copies the rows of a batch that pass the filters, so that queries spend no time on the other rows. The copy
// keeps the order of the rows, but answers do not depend on it.
type compactor struct {
	used    []int   // the logical columns that any query uses
	kept    []int32 // the indices of the kept rows
	batch   table.Batch
	columns []compacted // by logical column; each has its own memory
}

// compacted holds the reused memory of a copied column.
type compacted struct {
	valid   []bool
	codes   []int32
	ints    []int64
	floats  []float64
	offsets []uint32
	data    []byte
}

// newCompactor returns a compactor for batches of logical columns. queries[i] lists the columns that query i uses.
func newCompactor(logical int, queries [][]int) *compactor {
	c := &compactor{columns: make([]compacted, logical), batch: table.Batch{Columns: make([]table.Column, logical)}}
	seen := make([]bool, logical)
	for _, columns := range queries {
		for _, at := range columns {
			if !seen[at] {
				c.used, seen[at] = append(c.used, at), true
			}
		}
	}
	return c
}

// compact returns the rows i of b with keep[i]. The batch is valid until the next call. It returns nil if it cannot
// copy a column's representation, or if copying would take longer than it saves.
func (c *compactor) compact(b *table.Batch, keep []bool) *table.Batch {
	c.find(keep)
	for _, at := range c.used {
		x := &b.Columns[at]
		switch {
		case x.Type.Kind == table.List, x.Len() < b.Rows, x.Valid != nil && len(x.Valid) < b.Rows:
			return nil // the queries report columns of these forms as errors
		case x.Codes == nil && x.Type.Kind == table.String && len(c.kept) > b.Rows/2:
			return nil
		}
	}
	for _, at := range c.used {
		c.batch.Columns[at] = c.columns[at].copyRows(&b.Columns[at], c.kept)
	}
	c.batch.Rows = len(c.kept)
	return &c.batch
}

// find collects the indices of the kept rows. It has no branch per row, because the processor could not predict it.
func (c *compactor) find(keep []bool) {
	if cap(c.kept) < len(keep) {
		c.kept = make([]int32, len(keep))
	}
	kept, n := c.kept[:len(keep)], 0
	for i, k := range keep {
		kept[n] = int32(i)
		if k {
			n++
		}
	}
	c.kept = kept[:n]
}

// copyRows returns the given rows of a column.
func (m *compacted) copyRows(x *table.Column, rows []int32) table.Column {
	out := table.Column{Type: x.Type, Dict: x.Dict}
	if x.Valid != nil {
		m.valid = pickRows(m.valid, x.Valid, rows)
		out.Valid = m.valid
	}
	switch {
	case x.Codes != nil:
		m.codes = pickRows(m.codes, x.Codes, rows)
		out.Codes, out.Values = m.codes, x.Values
	case x.Type.Kind == table.String:
		out.Values = m.copyTexts(&x.Values, rows)
	case x.Type.Kind == table.Float:
		m.floats = pickRows(m.floats, x.Values.Floats, rows)
		out.Values.Floats = m.floats
	default:
		m.ints = pickRows(m.ints, x.Values.Ints, rows)
		out.Values.Ints = m.ints
	}
	return out
}

// copyTexts copies the strings of some rows.
func (m *compacted) copyTexts(v *table.Values, rows []int32) table.Values {
	m.offsets, m.data = append(m.offsets[:0], 0), m.data[:0]
	for _, row := range rows {
		m.data = append(m.data, v.Bytes(int(row))...)
		m.offsets = append(m.offsets, uint32(len(m.data)))
	}
	return table.Values{Offsets: m.offsets, Data: m.data}
}

// pickRows returns the items of some rows. It uses the memory of dst if that is large enough. The result is never nil.
func pickRows[T any](dst, items []T, rows []int32) []T {
	if dst == nil || cap(dst) < len(rows) {
		dst = make([]T, len(rows), max(len(rows), len(items)/4))
	}
	dst = dst[:len(rows)]
	for i, row := range rows {
		dst[i] = items[row]
	}
	return dst
}

package local

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// A compacted batch has the kept rows in their order, for any form of the columns, independent of earlier batches.
func TestCompactKeepsRows(t *testing.T) {
	kinds := []table.Kind{table.Int, table.Float, table.String}
	rapid.Check(t, func(t *rapid.T) {
		c := newCompactor(len(kinds)+1, [][]int{{0, 2}, {2, 1}})
		for range 2 {
			n := rapid.IntRange(0, 60).Draw(t, "rows")
			b := &table.Batch{Rows: n, Columns: make([]table.Column, len(kinds)+1)}
			for i, kind := range kinds {
				b.Columns[i] = drawColumn(t, kind, n)
			}
			keep := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "keep")
			var rows []int
			for i, k := range keep {
				if k {
					rows = append(rows, i)
				}
			}
			got := c.compact(b, keep)
			if got == nil {
				if b.Columns[2].Codes == nil && len(rows) > n/2 {
					continue
				}
				t.Fatalf("%d of %d rows are not copied", len(rows), n)
			}
			if got.Rows != len(rows) {
				t.Fatalf("%d rows, want %d", got.Rows, len(rows))
			}
			for i, kind := range kinds {
				from, to := &b.Columns[i], &got.Columns[i]
				if to.Len() != len(rows) || to.Type != from.Type || to.Dict != from.Dict {
					t.Fatalf("column %d: %+v, want %d rows of %+v", i, to, len(rows), from)
				}
				for at, row := range rows {
					if to.IsNull(at) != from.IsNull(row) {
						t.Fatalf("column %d, row %d: null is %v", i, row, to.IsNull(at))
					}
					if !equalValues(kind, &to.Values, to.Index(at), &from.Values, from.Index(row)) {
						t.Fatalf("column %d, row %d has another value", i, row)
					}
				}
			}
		}
	})
}

func drawColumn(t *rapid.T, kind table.Kind, n int) table.Column {
	c := table.Column{Type: table.Type{Kind: kind}}
	switch kind {
	case table.Int:
		c.Values.Ints = rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "ints")
	case table.Float:
		c.Values.Floats = rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "floats")
	default:
		c.Values.Offsets = []uint32{0}
		for range n {
			c.Values.Data = append(c.Values.Data, rapid.StringN(0, 3, -1).Draw(t, "text")...)
			c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
		}
	}
	if rapid.Bool().Draw(t, "nulls") {
		c.Valid = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "valid")
	}
	if rapid.Bool().Draw(t, "coded") {
		c = tabletest.Encode(c)
	}
	return c
}

func equalValues(kind table.Kind, a *table.Values, i int, b *table.Values, j int) bool {
	switch kind {
	case table.Int:
		return a.Ints[i] == b.Ints[j]
	case table.Float:
		return a.Floats[i] == b.Floats[j]
	}
	return bytes.Equal(a.Bytes(i), b.Bytes(j))
}

// Lists and columns that are shorter than their batch are not compacted.
func TestCompactLeavesOtherForms(t *testing.T) {
	for name, column := range map[string]table.Column{
		"list":  {Type: table.Type{Kind: table.List}, Lists: []uint32{0, 0, 0, 0}},
		"short": tabletest.Ints(table.Type{Kind: table.Int}, []int64{1}, nil),
	} {
		c := newCompactor(1, [][]int{{0}})
		if got := c.compact(&table.Batch{Rows: 3, Columns: []table.Column{column}}, []bool{true, false, false}); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

package sink

import (
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
)

// null represents a missing value in a grid: a NaN with a bit pattern that no other value has.
var null = math.Float64frombits(0x7ff8_0000_dead_dead)

// grid is a whole table in memory, by column: []string, []int64 or []float64.
type grid struct {
	names    []string
	columns  []any
	optional []bool // the columns that may be null; nil if the format does not record it
}

// expected builds the table of a result independently of the streaming code: it counts through the keys like an
// odometer.
func expected(r pipeline.Result) grid {
	values := readAll(r)
	kept := []int{}
	for c, estimate := range values[1] {
		if !r.Sparse || estimate != 0 {
			kept = append(kept, c)
		}
	}
	g := grid{}
	odometer := digits(r)
	for k, key := range r.Answer.Keys {
		g.names = append(g.names, key.Name)
		switch {
		case len(key.Labels.Strings) > 0:
			g.columns = append(g.columns, pick(key.Labels.Strings, odometer[k], kept))
		case len(key.Labels.Ints) > 0:
			g.columns = append(g.columns, pick(key.Labels.Ints, odometer[k], kept))
		default:
			g.columns = append(g.columns, pick(key.Labels.Floats, odometer[k], kept))
		}
	}
	g.optional = make([]bool, len(g.names)+len(values))
	for v := range values {
		g.optional[len(g.names)+v] = len(r.Answer.Extra) > 0
	}
	g.names = append(g.names, "noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high")
	for _, e := range r.Answer.Extra {
		g.names = append(g.names, e.Name)
	}
	for _, v := range values {
		column := make([]float64, 0, len(kept))
		for _, c := range kept {
			column = append(column, v[c])
		}
		g.columns = append(g.columns, column)
	}
	if len(r.Answer.Extra) > 0 {
		g = g.without(math.IsNaN)
	}
	return g
}

// without returns the table with null instead of the doubles for which gone is true.
func (g grid) without(gone func(float64) bool) grid {
	columns := slices.Clone(g.columns)
	for i, c := range columns {
		if values, ok := c.([]float64); ok {
			values = slices.Clone(values)
			for j, v := range values {
				if gone(v) {
					values[j] = null
				}
			}
			columns[i] = values
		}
	}
	return grid{g.names, columns, g.optional}
}

func readAll(r pipeline.Result) [][]float64 {
	values := make([][]float64, 5+len(r.Answer.Extra))
	for i := range values {
		values[i] = make([]float64, r.Answer.Cells)
	}
	r.Answer.Noisy(0, values[0])
	r.Answer.Estimate(0, values[1])
	r.Answer.Sigma(0, values[2])
	r.Answer.Low(0, values[3])
	r.Answer.High(0, values[4])
	for i, e := range r.Answer.Extra {
		e.Values(0, values[5+i])
	}
	return values
}

// digits returns the index of every cell's label for each key. The last key varies fastest.
func digits(r pipeline.Result) [][]int {
	keys := r.Answer.Keys
	all, now := make([][]int, len(keys)), make([]int, len(keys))
	for range r.Answer.Cells {
		for k := range keys {
			all[k] = append(all[k], now[k])
		}
		for k := len(keys) - 1; k >= 0; k-- {
			l := keys[k].Labels
			if now[k]++; now[k] < len(l.Strings)+len(l.Ints)+len(l.Floats) {
				break
			}
			now[k] = 0
		}
	}
	return all
}

func pick[T any](labels []T, index, cells []int) []T {
	column := make([]T, 0, len(cells))
	for _, c := range cells {
		column = append(column, labels[index[c]])
	}
	return column
}

// same fails the test if two tables differ in a name, a type, a length or a bit of a cell.
func (g grid) same(t *testing.T, got grid) {
	t.Helper()
	if len(got.names) != len(g.names) {
		t.Fatalf("columns %q, want %q", got.names, g.names)
	}
	if got.optional != nil && !slices.Equal(got.optional, g.optional) {
		t.Fatalf("columns that may be null: %v, want %v", got.optional, g.optional)
	}
	for i, name := range g.names {
		if got.names[i] != name {
			t.Fatalf("column %d is %q, want %q", i, got.names[i], name)
		}
		switch want := g.columns[i].(type) {
		case []string:
			sameColumn(t, name, got.columns[i], want, func(a, b string) bool { return a == b })
		case []int64:
			sameColumn(t, name, got.columns[i], want, func(a, b int64) bool { return a == b })
		case []float64:
			sameColumn(t, name, got.columns[i], want,
				func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
		}
	}
}

func sameColumn[T any](t *testing.T, name string, column any, want []T, same func(a, b T) bool) {
	t.Helper()
	got, ok := column.([]T)
	if !ok || len(got) != len(want) {
		t.Fatalf("column %s: %T of %d rows, want %T of %d", name, column, len(got), want, len(want))
	}
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("column %s, row %d: %v, want %v", name, i, got[i], want[i])
		}
	}
}

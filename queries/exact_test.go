package queries

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Exact answers equal a plain reference, for any order of the rows, cut into batches, encoding and number of workers.
func TestAnswersEqualTheReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSpec(rt), randomTable(rt)
		q := must(t, s)
		want := reference(s, tab)
		shuffled, workers := dealt(rt, q, tab)
		if got := exactOf(t, q, shuffled, workers); !slices.Equal(got, want) {
			rt.Fatalf("%+v\ngot  %v\nwant %v", s, got, want)
		}
	})
}

// neighbour returns a table that differs from tab by one unit, and the adjacency.
func neighbour(rt *rapid.T, s Spec, tab *testTable) (*testTable, Adjacency) {
	if len(tab.rows) == 0 {
		return tab, AddRemove
	}
	adj := rapid.SampledFrom([]Adjacency{AddRemove, ReplaceOne}).Draw(rt, "adjacency")
	chosen := rapid.IntRange(0, len(tab.rows)-1).Draw(rt, "row")
	unit := refUnit(s, tab, tab.rows[chosen])
	other := &testTable{fields: tab.fields}
	for i, r := range tab.rows {
		if i != chosen && (len(s.Unit) == 0 || unit == "" || refUnit(s, tab, r) != unit) {
			other.rows = append(other.rows, r)
		}
	}
	if adj == AddRemove {
		return other, adj
	}
	n := 1
	if len(s.Unit) > 0 {
		n = rapid.IntRange(0, 12).Draw(rt, "new rows")
	}
	for range n {
		r := randomRow(rt)
		for _, name := range s.Unit {
			at := tab.schema().Index(name)
			r[at] = tab.rows[chosen][at]
		}
		other.rows = append(other.rows, r)
	}
	return other, adj
}

// The answers of neighbouring tables differ by at most the stated sensitivity.
func TestNeighboursDifferByAtMostTheSensitivity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSpec(rt), randomTable(rt)
		q := must(t, s)
		other, adj := neighbour(rt, s, tab)
		got := squaredDistance(exact(t, q, tab), exact(t, q, other))
		if q.Constant(adj) {
			if got != 0 {
				rt.Fatalf("a constant query changed by sqrt(%d)", got)
			}
			return
		}
		if most := sensitivity.SquaredCounts(q.Limits, adj, q.Size); !most.IsInt64() || got > most.Int64() {
			rt.Fatalf("%+v, %s: changed by sqrt(%d), sensitivity sqrt(%v)", s, adj, got, most)
		}
	})
}

// contribution returns the rows of a unit with rows[i] rows in cell from + i.
func contribution(unit int64, from int, rows []int64) [][]value {
	var all [][]value
	for i, n := range rows {
		for range n {
			all = append(all, []value{{n: unit}, {n: int64(from + i)}})
		}
	}
	return all
}

// corner returns the contribution with the largest norm to some cells: the number of rows in each cell.
func corner(l bounding.Limits, cells int64) []int64 {
	rows := make([]int64, min(cells, l.Cells))
	left := l.Rows
	for i := range rows {
		rows[i] = min(l.RowsPerCell, left)
		left -= rows[i]
	}
	return rows
}

// For all bounds there are neighbouring tables whose answers differ by exactly the stated sensitivity.
func TestSensitivityIsAttained(t *testing.T) {
	fields := []table.Field{{Name: "u", Type: table.Type{Kind: table.Int}}, {Name: "x", Type: table.Type{Kind: table.Int}}}
	rapid.Check(t, func(rt *rapid.T) {
		cells := rapid.IntRange(1, 12).Draw(rt, "cells")
		b := Bounds{MaxRows: rapid.Int64Range(1, 30).Draw(rt, "k"), MaxGroups: rapid.Int64Range(0, 14).Draw(rt, "L"),
			MaxRowsPerGroup: rapid.Int64Range(0, 9).Draw(rt, "m")}
		q := must(t, spec(cells, b))
		half := int64(cells) / 2
		rest := contribution(2, 0, []int64{3})
		for adj, tables := range map[Adjacency][2][][]value{
			AddRemove: {contribution(1, 0, corner(q.Limits, int64(cells))), nil},
			ReplaceOne: {contribution(1, 0, corner(q.Limits, half)),
				contribution(1, int(half), corner(q.Limits, int64(cells)-half))},
		} {
			one := exact(t, q, &testTable{fields, slices.Concat(rest, tables[0])})
			other := exact(t, q, &testTable{fields, slices.Concat(rest, tables[1])})
			if got, want := squaredDistance(one, other), sensitivity.SquaredCounts(q.Limits, adj, cells).Int64(); got != want {
				rt.Fatalf("%s: changed by sqrt(%d), sensitivity sqrt(%d)", adj, got, want)
			}
		}
	})
}

// max_rows: 5 keeps exactly 5 rows of each unit that has more, in any order and split.
func TestMaxRowsCaps(t *testing.T) {
	fields := []table.Field{{Name: "u", Type: table.Type{Kind: table.Int}}, {Name: "x", Type: table.Type{Kind: table.Int}}}
	rng := rand.New(rand.NewPCG(1, 2))
	tab := &testTable{fields: fields}
	const units = 200
	want := int64(0)
	for u := range int64(units) {
		n := rng.Int64N(12)
		want += min(n, 5)
		for range n {
			tab.rows = append(tab.rows, []value{{n: u}, {n: rng.Int64N(6)}})
		}
	}
	q := must(t, spec(6, Bounds{MaxRows: 5}))
	first := exact(t, q, tab)
	total := int64(0)
	for _, n := range first {
		total += n
	}
	if total != want {
		t.Fatalf("%d rows kept, want %d", total, want)
	}
	for split := 1; split <= 8; split++ {
		rng.Shuffle(len(tab.rows), func(i, j int) { tab.rows[i], tab.rows[j] = tab.rows[j], tab.rows[i] })
		workers := make([][]*table.Batch, split)
		for i, b := range tab.batches(q.Columns(), rng.Perm(len(tab.rows))[:3*split], encoding(split)%encodings) {
			workers[i%split] = append(workers[i%split], b)
		}
		if got := exactOf(t, q, tab, workers); !slices.Equal(got, first) {
			t.Fatalf("%d workers: %v, want %v", split, got, first)
		}
	}
}

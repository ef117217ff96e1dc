package queries

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

var countsFields = []table.Field{{Name: "country", Type: table.Type{Kind: table.Int}},
	{Name: "page", Type: table.Type{Kind: table.Int}}, {Name: "views", Type: table.Type{Kind: table.Int}}}

// listed returns a dimension with a cell for each of n values.
func listed(column string, n int) domain.Dimension {
	return domain.Dimension{Column: column, Labels: numbered(n)}
}

// upstreamDimensions draws dimensions. Some of them put all rows of a unit into different cells, others do not.
func upstreamDimensions(t *rapid.T) []domain.Dimension {
	country, page := listed("country", 3), listed("page", 4)
	if rapid.Bool().Draw(t, "other") {
		page = listed("page", 2)
		page.Other = domain.OwnCell
	}
	switch rapid.IntRange(0, 3).Draw(t, "by") {
	case 0:
		return []domain.Dimension{country}
	case 1:
		return []domain.Dimension{{Column: "country", Labels: []domain.Label{{Name: "some", Members: []string{"0", "1"}},
			{Name: "rest", Members: []string{"2"}}}}, page}
	}
	return []domain.Dimension{country, page}
}

// added returns the contribution of one unit to the counts of rows of the table, within the producer's promise.
func added(t *rapid.T, u *query.Upstream, rows int) []int64 {
	out := make([]int64, rows)
	if u.Sum > 0 {
		for left := u.Sum; left > 0; left-- {
			out[rapid.IntRange(0, rows-1).Draw(t, "row")]++
		}
		return out
	}
	for range u.Rows {
		out[rapid.IntRange(0, rows-1).Draw(t, "row")] = rapid.Int64Range(0, u.Change).Draw(t, "change")
	}
	return out
}

// withAdded returns a table of counts with the contribution of a unit.
func withAdded(tab *testTable, by []int64) *testTable {
	out := &testTable{fields: tab.fields}
	for i, row := range tab.rows {
		row = slices.Clone(row)
		if by[i] > 0 {
			row[2] = value{n: row[2].n + by[i]}
		}
		out.rows = append(out.rows, row)
	}
	return out
}

// If two tables of counts differ by a unit within the producer's promise, their answers differ by at most the stated
// sensitivity, even if counts are null, negative or huge. The same holds for tables of rows.
func TestUpstreamUnitsStayWithinTheSensitivity(test *testing.T) {
	rapid.Check(test, func(t *rapid.T) {
		u := &query.Upstream{Name: "device", Rows: rapid.Int64Range(1, 5).Draw(t, "rows"), Change: 1}
		s := Spec{Name: "q", Kind: Histogram, Upstream: u, By: upstreamDimensions(t)}
		distinct := rapid.Bool().Draw(t, "distinct")
		tab := &testTable{fields: countsFields}
		for country := range int64(4) {
			for page := range int64(5) {
				n := value{n: rapid.SampledFrom([]int64{0, 7, 1000, -3, -1, 1<<40 - 1, 1 << 40, 1 << 62}).Draw(t, "n")}
				if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
					n = value{null: true}
				}
				tab.rows = append(tab.rows, []value{{n: country}, {n: page}, n})
			}
		}
		if distinct {
			u.Distinct = []string{"country", "page"}
		} else {
			tab.rows = append(tab.rows, tab.rows...)
		}
		adj := rapid.SampledFrom([]Adjacency{AddRemove, ReplaceOne}).Draw(t, "adjacency")
		var one, two *testTable
		if rapid.Bool().Draw(t, "counts") {
			s.Counts = &quantize.Value{Columns: []string{"views"}, Lo: "0", Hi: fmt.Sprint(int64(1) << 40)}
			if u.Change = rapid.Int64Range(1, 4).Draw(t, "most"); !distinct && rapid.Bool().Draw(t, "sum") {
				u.Rows, u.Change, u.Sum = 0, 0, rapid.Int64Range(1, 9).Draw(t, "all")
			}
			one, two = withAdded(tab, added(t, u, len(tab.rows))), tab
			if adj == ReplaceOne {
				two = withAdded(tab, added(t, u, len(tab.rows)))
			}
		} else {
			rows := func() *testTable {
				out := &testTable{fields: tab.fields, rows: slices.Clone(tab.rows)}
				for i, n := range added(t, u, len(tab.rows)) {
					out.rows = append(out.rows, slices.Repeat(tab.rows[i:i+1], int(n))...)
				}
				return out
			}
			if one, two = rows(), tab; adj == ReplaceOne {
				two = rows()
			}
		}
		if s.Counts == nil && rapid.Bool().Draw(t, "noise: auto") {
			s.CommonNoise = adj
		}
		q := must(test, s)
		c, err := q.Components(adj)
		if err != nil {
			t.Fatal(err)
		}
		a, b := exact(test, q, one), exact(test, q, two)
		if changed, most := float64(squaredDistance(a, b)), c[0].Sens.L2*c[0].Sens.L2; changed > most*(1+1e-9) {
			t.Fatalf("%+v, %s: changed by sqrt(%v), sensitivity sqrt(%v)", u, adj, changed, most)
		}
		l1 := int64(0)
		for i := range a {
			l1 += max(a[i]-b[i], b[i]-a[i])
		}
		if float64(l1) > c[0].L1 {
			t.Fatalf("%+v, %s: changed by %d, L1 sensitivity %v", u, adj, l1, c[0].L1)
		}
	})
}

// The sensitivity that follows from a promise is sqrt(rows)·change if the rows of a unit are in different cells,
// rows·change if they may be in one cell, and the promised sum if all changes are bounded together.
func TestSensitivityOfPromises(t *testing.T) {
	both, country := []domain.Dimension{listed("country", 30), listed("page", 40)},
		[]domain.Dimension{listed("country", 30)}
	folded := []domain.Dimension{listed("country", 30), {Column: "page", Labels: numbered(40), Other: domain.OwnCell}}
	for _, c := range []struct {
		u        query.Upstream
		by       []domain.Dimension
		counts   bool
		l2, l1   float64
		distinct bool
	}{
		{query.Upstream{Rows: 9, Change: 1}, both, false, 9, 9, false},
		{query.Upstream{Rows: 9, Change: 1}, both, false, 3, 9, true},
		{query.Upstream{Rows: 9, Change: 1}, country, false, 9, 9, true},
		{query.Upstream{Rows: 9, Change: 1}, folded, false, 9, 9, true},
		{query.Upstream{Rows: 9, Change: 2}, both, true, 6, 18, true},
		{query.Upstream{Rows: 9, Change: 2}, both, true, 18, 18, false},
		{query.Upstream{Rows: 9, Change: 2}, nil, true, 18, 18, true},
		{query.Upstream{Sum: 30}, both, true, 30, 30, false},
	} {
		c.u.Name = "device"
		if c.distinct {
			c.u.Distinct = []string{"country", "page"}
		}
		s := Spec{Name: "q", Kind: Histogram, Upstream: &c.u, By: c.by}
		if c.by == nil {
			s.Kind = Count
		}
		if c.counts {
			s.Counts = &quantize.Value{Columns: []string{"views"}, Lo: "0", Hi: fmt.Sprint(int64(1) << 40)}
		}
		got, err := must(t, s).Components(AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Sens.L2 != c.l2 || got[0].L1 != c.l1 {
			t.Errorf("%+v: %v and %v, want %v and %v", c.u, got[0].Sens.L2, got[0].L1, c.l2, c.l1)
		}
	}
}

// Cells of a table that has no column of the unit share no noise, since nobody can count its units.
func TestUpstreamCellsShareNoNoise(t *testing.T) {
	u := &query.Upstream{Name: "device", Rows: 9, Change: 1, Distinct: []string{"page"}}
	s := Spec{Name: "q", Kind: Histogram, Upstream: u, By: []domain.Dimension{listed("page", 4)}, CommonNoise: AddRemove}
	q, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := q.Components(AddRemove); err != nil || len(c) != 1 || c[0].Sens.L2 != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

// If the producer bounds the units, keys can be discovered only if a unit counts at most once in each key.
func TestUpstreamKeysNeedDistinctRows(t *testing.T) {
	key := domain.Dimension{Column: "page", Discover: true}
	u := &query.Upstream{Name: "device", Rows: 4, Change: 1}
	s := Spec{Name: "q", Kind: Histogram, Upstream: u, By: []domain.Dimension{key}}
	if _, err := New(s); err == nil {
		t.Error("a key that one device has four times could pass the threshold")
	}
	u.Distinct = []string{"page"}
	q, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := q.Components(AddRemove); err != nil || c[0].Sens.L2 != 2 || c[0].Keys != 4 {
		t.Errorf("%+v, %v", c, err)
	}
	key.Fold.Case = true
	s.By = []domain.Dimension{key}
	if _, err := New(s); err == nil {
		t.Error("folding makes several keys one")
	}
}

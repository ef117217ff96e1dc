package queries

import (
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
	"pgregory.net/rapid"
)

// randomOver draws a query for the number of units with more rows than a bound.
func randomOver(t *rapid.T) Spec {
	unit := rapid.SampledFrom([][]string{{"u"}, {"v"}, {"w"}, {"u", "v"}}).Draw(t, "unit")
	return Spec{Name: "q", Kind: query.OverBound, Unit: unit, FloatUnit: true,
		Bounds: Bounds{MaxRows: rapid.Int64Range(1, 8).Draw(t, "k"), MaxRowsPerGroup: rapid.Int64Range(0, 5).Draw(t, "m")}}
}

// rowBound returns the bound on the rows of a unit in one cell.
func rowBound(b Bounds) int {
	if b.MaxRowsPerGroup > 0 {
		return int(min(b.MaxRows, b.MaxRowsPerGroup))
	}
	return int(b.MaxRows)
}

// unitsOver counts the units with more rows than a bound.
func unitsOver(s Spec, tab *testTable) (over int64) {
	rows := map[string]int{}
	for _, row := range tab.rows {
		if unit := refUnit(s, tab, row); unit != "" {
			rows[unit]++
		}
	}
	for _, n := range rows {
		if n > rowBound(s.Bounds) {
			over++
		}
	}
	return over
}

// The exact answer is the number of units with more rows than the bound, for all batches, encodings and spills. The
// answers of neighbouring tables differ by at most 1, the sensitivity.
func TestUnitsOverABound(t *testing.T) {
	seen := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomOver(rt), randomTable(rt)
		q := makeQuery[*kinds.OverBound](t, s)
		want := unitsOver(s, tab)
		seen[want > 0]++
		shuffled, workers := dealt(rt, q, tab)
		if got := exactOf(t, q, shuffled, workers); len(got) != 1 || got[0] != want {
			rt.Fatalf("%+v: %v, want %d", s, got, want)
		}
		other, adj := neighbour(rt, s, tab)
		components, err := q.Components(adj)
		if err != nil || len(components) != 1 || components[0].Sens.L2 != 1 || components[0].L1 != 1 {
			rt.Fatal(components, err)
		}
		if got := exact(t, q, other)[0]; got-want > 1 || want-got > 1 {
			rt.Fatalf("%s: %d and %d", adj, want, got)
		}
	})
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("tables with units over the bound and without: %v", seen)
	}
}

// A query for the number of units over a bound can share the rows of units with counts and histograms. This changes
// neither its answer nor the answer of a count. (A histogram keeps other rows of a unit if it shares them.)
func TestUnitsOverABoundBesideOtherQueries(t *testing.T) {
	owntest.Slow(t)
	rapid.Check(t, func(rt *rapid.T) {
		tab, over := randomTable(rt), randomOver(rt)
		count, histogram := over, over
		count.Name, count.Kind = "count", Count
		histogram.Name, histogram.Kind = "histogram", Histogram
		histogram.By = []domain.Dimension{{Column: "int", Edges: []string{"0", "1", "2.5", "3"}}}
		var queries []Query
		for _, s := range []Spec{over, count, histogram} {
			queries = append(queries, makeQuery[Query](t, s))
		}
		for _, spill := range spills() {
			got := togetherOf(t, queries, tab.schema(), spill, layouts(queries, tab, []int{len(tab.rows) / 2}, plain), 2)
			for i, q := range queries[:2] {
				exacts, err := got[i].hide()
				if err != nil {
					rt.Fatal(err)
				}
				want := exact(t, q, tab)
				for j, x := range openedAll(t, exacts)[0] {
					if x.Int64() != want[j] {
						rt.Fatalf("%s: %v, want %v", q.Name(), x, want[j])
					}
				}
			}
		}
	})
}

func TestUnitsOverABoundNeedUnits(t *testing.T) {
	for _, s := range []Spec{{Bounds: Bounds{MaxRows: 2}}, {Unit: []string{"u"}}, {Unit: []string{"u"}, RowsShare: 0.1,
		Bounds: Bounds{MaxRows: 5}}, {Unit: []string{"u"}, Bounds: Bounds{MaxRows: 2}, By: randomDimensions[:1]}} {
		if s.Name, s.Kind = "q", query.OverBound; s.Unit != nil && s.RowsShare == 0 && s.By == nil {
			s.Bounds = Bounds{}
		}
		if q, err := New(s); err == nil {
			t.Errorf("%+v is made: %v", s, q)
		}
	}
	s := Spec{Name: "q", Kind: query.OverBound, Unit: []string{"u"}, Bounds: Bounds{MaxRows: 2}, Declared: 0.5}
	if _, err := makeQuery[*kinds.OverBound](t, s).Components(AddRemove); err == nil {
		t.Error("a sensitivity below 1 is accepted")
	}
}

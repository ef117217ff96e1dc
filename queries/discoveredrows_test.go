package queries

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"pgregory.net/rapid"
)

// randomLimited draws a query whose bound on the rows of a unit is discovered.
func randomLimited(t *rapid.T) Spec {
	for {
		s := randomSpec(t)
		if len(s.Unit) == 0 {
			s.Unit = []string{"u"}
		}
		s.Bounds.MaxRows, s.RowsShare = rapid.Int64Range(2, 40).Draw(t, "up to"), 0.1
		if s.Kind = rapid.SampledFrom([]Kind{s.Kind, Sum, Mean, Variance}).Draw(t, "kind"); s.Kind == Sum || s.Kind == Mean ||
			s.Kind == Variance {
			s.Value = &quantize.Value{Columns: []string{rapid.SampledFrom([]string{"int", "float", "digits"}).Draw(t, "column")},
				Lo: "-1", Hi: "3"}
		}
		if _, err := New(s); err == nil {
			return s
		}
	}
}

func findsRows(tb testing.TB, s Spec) *kinds.Limited { return makeQuery[*kinds.Limited](tb, s) }

// openedAll returns exact answers as integers.
func openedAll(tb testing.TB, exacts []mechanism.Exact) (out [][]*big.Int) {
	tb.Helper()
	for _, e := range exacts {
		_, x := mechanismtest.OpenWide(tb, e)
		out = append(out, x)
	}
	return out
}

// chosenRows chooses the bound k on the rows of a unit. It returns the exact answers under this bound, and the
// histogram of rows per unit.
func chosenRows(tb testing.TB, a adding, k int64) (answers [][]*big.Int, histogram []*big.Int) {
	tb.Helper()
	exacts, err := a.hide()
	if err != nil {
		tb.Fatal(err)
	}
	last := len(exacts) - 1
	for i := range last {
		if exacts[i], err = exacts[i].Choose(mechanism.Range{Low: 1, High: k}); err != nil {
			tb.Fatal(err)
		}
	}
	all := openedAll(tb, exacts)
	return all[:last], all[last]
}

// refRanked returns the number of units whose last row is in each step, computed from the answer of a query that counts
// rows by unit under the largest bound.
func refRanked(tb testing.TB, s Spec, tab *testTable, steps []int64) []*big.Int {
	tb.Helper()
	units := map[string]*testTable{}
	for _, row := range tab.rows {
		unit := refUnit(s, tab, row)
		if units[unit] == nil {
			units[unit] = &testTable{fields: tab.fields}
		}
		units[unit].rows = append(units[unit].rows, row)
	}
	counts := s
	counts.RowsShare = 0
	if s.Value != nil {
		counts.Kind = Mean // its last vector holds the numbers of rows
	}
	out := make([]*big.Int, len(steps))
	for i := range out {
		out[i] = new(big.Int)
	}
	for unit, rows := range units {
		if unit == "" {
			continue // rows without a unit
		}
		q := makeQuery[Query](tb, counts)
		exacts, err := accumulated(tb, q, tab.schema(), nil, plainly(q, rows)).hide()
		if err != nil {
			tb.Fatal(err)
		}
		n := int64(0)
		for _, x := range openedAll(tb, exacts[len(exacts)-1:])[0] {
			n += x.Int64()
		}
		if n > 0 {
			at, _ := slices.BinarySearch(steps, n)
			out[at].Add(out[at], big.NewInt(1))
		}
	}
	return out
}

func equalAll(a, b [][]*big.Int) bool { return slices.EqualFunc(a, b, equalInts) }

// If the bound is chosen after the rows are read, the answers equal the answers of a query with this bound, and the
// histogram counts the units of each step. This holds for every bound, in memory and spilled, after states are moved to
// another process, and if the rows of each bucket are bounded separately.
func TestAnswersUnderAChosenBoundAreThoseOfTheBound(t *testing.T) {
	owntest.Slow(t)
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomLimited(rt), randomTable(rt)
		q := findsRows(t, s)
		steps := privateclamp.Steps(q.Widest().High)
		k := rapid.SampledFrom(steps).Draw(rt, "bound")
		fixed, err := q.Chosen(mechanism.Range{Low: 1, High: k})
		if err != nil {
			rt.Fatal(err)
		}
		plainly := plainly(fixed, tab)
		exacts, err := accumulated(t, fixed, tab.schema(), nil, plainly).hide()
		if err != nil {
			rt.Fatal(err)
		}
		want, units := openedAll(t, exacts), refRanked(t, s, tab, steps)
		for _, spill := range spills() {
			got, histogram := chosenRows(t, accumulated(t, q, tab.schema(), spill, plainly), k)
			if !equalAll(got, want) || !equalInts(histogram, units) {
				rt.Fatalf("%+v, bound %d of %v\ngot  %v, %v\nwant %v, %v", s, k, steps, got, histogram, want, units)
			}
		}
	})
}

// If queries share the rows of units, and some of them discover their bound, all have the same answers as queries with
// these bounds from the start.
func TestChosenBoundsOfQueriesTogether(t *testing.T) {
	owntest.Slow(t)
	rapid.Check(t, func(rt *rapid.T) {
		specs, tab := severalSpecs(rt), randomTable(rt)
		if len(specs[0].Unit) == 0 {
			return
		}
		before := queriesOf(t, specs)
		at := rapid.IntRange(0, len(specs)-1).Draw(rt, "at")
		s := specs[at]
		s.Bounds.MaxRows, s.RowsShare = rapid.Int64Range(2, 40).Draw(rt, "up to"), 0.1
		made, err := New(s)
		if err != nil {
			return
		}
		q := made.(*kinds.Limited)
		k := rapid.SampledFrom(privateclamp.Steps(q.Widest().High)).Draw(rt, "bound")
		fixed, err := q.Chosen(mechanism.Range{Low: 1, High: k})
		if err != nil {
			rt.Fatal(err)
		}
		before[at] = fixed
		after := slices.Clone(before)
		after[at] = q
		for _, spill := range spills() {
			want := togetherOf(t, before, tab.schema(), nil, layouts(before, tab, []int{len(tab.rows) / 2}, plain), 2)
			got := togetherOf(t, after, tab.schema(), spill, layouts(after, tab, []int{len(tab.rows) / 3}, plain), 2)
			for i := range before {
				exacts, err := want[i].hide()
				if err != nil {
					rt.Fatal(err)
				}
				x := openedAll(t, exacts)
				var y [][]*big.Int
				if i == at {
					y, _ = chosenRows(t, got[i], k)
				} else if exacts, err = got[i].hide(); err != nil {
					rt.Fatal(err)
				} else {
					y = openedAll(t, exacts)
				}
				if !equalAll(x, y) {
					rt.Fatalf("query %d of %+v, bound %d: %v, want %v", i, specs, k, y, x)
				}
			}
		}
	})
}

// Between neighbouring tables, neither the histogram nor the answers change by more than their stated sensitivities,
// whatever bound is chosen.
func TestLimitedNeighboursDifferByAtMostTheSensitivity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomLimited(rt), randomTable(rt)
		q := findsRows(t, s)
		other, adj := neighbour(rt, s, tab)
		first, err := q.Histogram(adj)
		if err != nil {
			rt.Fatal(err)
		}
		k := rapid.SampledFrom(privateclamp.Steps(q.Widest().High)).Draw(rt, "bound")
		fixed, err := q.Chosen(mechanism.Range{Low: 1, High: k})
		if err != nil {
			rt.Fatal(err)
		}
		components, err := fixed.Components(adj)
		if err != nil {
			return // constant under the adjacency
		}
		widest, err := q.Components(adj)
		if err != nil || len(q.Follows()) != len(components) {
			rt.Fatal(err)
		}
		one, h := chosenRows(t, accumulated(t, q, tab.schema(), nil, plainly(q, tab)), k)
		two, h2 := chosenRows(t, accumulated(t, q, other.schema(), nil, plainly(q, other)), k)
		if !within(h, h2, 0, first.Sens.L2) {
			rt.Fatalf("%+v, %s: %v %v, %v", s, adj, h, h2, first.Sens)
		}
		for i, p := range components {
			if widest[i].Sens.L2 < p.Sens.L2 || !within(one[i], two[i], exponentOf(p.Quantum), p.Sens.L2) {
				rt.Fatalf("%+v, %s, bound %d: %v %v, %v of %v", s, adj, k, one[i], two[i], p.Sens, widest[i].Sens)
			}
		}
	})
}

func exponentOf(quantum float64) int {
	e := 0
	for ; quantum < 1; quantum *= 2 {
		e--
	}
	return e
}

// The histogram of rows per unit has the sensitivity 1 under add-remove, because a unit counts in one cell. Under
// replace-one it is sqrt(2), because a unit can move from one cell to another.
func TestSensitivityOfHistogramOfRows(t *testing.T) {
	s := spec(1, Bounds{MaxRows: 8})
	s.RowsShare = 0.1
	q := findsRows(t, s)
	for adj, want := range map[Adjacency]float64{AddRemove: 1, ReplaceOne: sensitivity.RootUp(big.NewInt(2))} {
		if c, err := q.Histogram(adj); err != nil || c.Sens.L2 != want || c.Cells != 4 || c.Weight != 0.1 {
			t.Errorf("%s: %+v, %v", adj, c, err)
		}
	}
}

// A bound that is not a step is refused. So are a second choice for a vector, and different bounds for two vectors.
func TestLimitedRefusesOtherBounds(t *testing.T) {
	s := Spec{Name: "q", Kind: Mean, Unit: []string{"u"}, Bounds: Bounds{MaxRows: 9}, RowsShare: 0.1,
		Value: &quantize.Value{Columns: []string{"int"}, Lo: "0", Hi: "8"}}
	q := findsRows(t, s)
	tab := &testTable{fields: randomFields}
	exacts, err := accumulated(t, q, tab.schema(), nil, plainly(q, tab)).hide()
	if err != nil || len(exacts) != 3 {
		t.Fatal(len(exacts), err)
	}
	for _, r := range []mechanism.Range{{Low: 1, High: 3}, {Low: 0, High: 4}, {Low: 2, High: 4}, {Low: 1, High: 10},
		{Low: 1}} {
		if _, err := exacts[0].Choose(r); err == nil {
			t.Errorf("%+v was chosen", r)
		}
	}
	if _, err := exacts[0].Choose(mechanism.Range{Low: 1, High: 4}); err != nil {
		t.Fatal(err)
	}
	if _, err := exacts[0].Choose(mechanism.Range{Low: 1, High: 4}); err == nil {
		t.Error("a second choice was made")
	}
	if _, err := exacts[1].Choose(mechanism.Range{Low: 1, High: 8}); err == nil {
		t.Error("another bound was chosen for the numbers of rows")
	}
	if _, err := exacts[1].Choose(mechanism.Range{Low: 1, High: 4}); err != nil {
		t.Error(err)
	}
	for _, r := range []mechanism.Range{{Low: 1, High: 10}, {Low: 1, High: 0}, {Low: 0, High: 4}} {
		if _, err := q.Chosen(r); err == nil {
			t.Errorf("%+v is within the range", r)
		}
	}
}

// Specs that exclude a discovered bound are refused with a hint.
func TestLimitedSpecsThatAreRefused(t *testing.T) {
	good := func() Spec {
		s := spec(3, Bounds{MaxRows: 100})
		s.RowsShare = 0.1
		return s
	}
	if _, err := New(good()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Spec){
		"row units":  func(s *Spec) { s.Unit = nil },
		"one row":    func(s *Spec) { s.Bounds.MaxRows = 1 },
		"too many":   func(s *Spec) { s.Bounds.MaxRows = 1 << 31 },
		"share":      func(s *Spec) { s.RowsShare = 1 },
		"declared":   func(s *Spec) { s.Declared = 1000 },
		"other ones": func(s *Spec) { s.Bounds.MaxGroups, s.Bounds.MaxRowsPerGroup = 1, 1 },
		"clamp": func(s *Spec) {
			s.Kind, s.By, s.Value = Sum, nil, &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "8", Share: 0.1}
		},
	} {
		s := good()
		spoil(&s)
		_, err := New(s)
		all := problem.Errors(err)
		if len(all) == 0 || all[0].Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The bound is found near the best one, and can be chosen again from the recorded values.
func TestBoundIsFound(t *testing.T) {
	s := spec(1, Bounds{MaxRows: 1000})
	s.RowsShare = 0.1
	q := findsRows(t, s)
	first, err := q.Histogram(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	components, err := q.Components(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	charged := []calibrate.Mechanism{{Query: "q", ChosenBy: "q/max_rows", RuleVersion: 1, Sens: components[0].Sens,
		Sigma: calibrate.Sigma(4 * components[0].Sens.L2), Grid: 1}}
	for at, want := range []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000} {
		cells := make([]float64, first.Cells)
		cells[at] = 20000
		noisy := mechanismtest.Make(t, calibrate.Mechanism{Query: "q/max_rows", Sens: first.Sens, Sigma: 13, Grid: 1}, cells)
		found, err := q.Find(noisy, charged, AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		r := found.Rows
		if r.MaxRows != want || !r.Same() || found.Range() != (mechanism.Range{Low: 1, High: want}) {
			t.Errorf("units with up to %d rows: %+v", want, r)
		}
		if got := fmt.Sprint(r.Noise[0], r.Noise[10]); got != "4 4000" {
			t.Errorf("noise %s", got)
		}
		if r.MaxRows = 3; r.Same() {
			t.Error("another bound is taken for the one that is found")
		}
	}
}

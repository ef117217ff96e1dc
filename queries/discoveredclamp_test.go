package queries

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
	"github.com/dprelease/dprelease/queries/kinds"

	"github.com/dprelease/dprelease/queries/quantize"
	"pgregory.net/rapid"
)

// randomClamped draws a sum or a mean whose clamp is discovered.
func randomClamped(t *rapid.T) Spec {
	s := randomSpec(t)
	if q, err := New(s); err == nil && q.Cells() > 1<<16 {
		t.Skip("more groups than share a clamp")
	}
	s.Kind = rapid.SampledFrom([]Kind{Sum, Mean}).Draw(t, "kind")
	v := rapid.SampledFrom([]quantize.Value{{Lo: "-1", Hi: "2"}, {Lo: "0", Hi: "1e9"}, {Lo: "-1e9", Hi: "1e9"},
		{Lo: "-3.3", Hi: "-0.5"}, {Lo: "0.7", Hi: "100"}, {Lo: "-1e-3", Hi: "1e200"}}).Draw(t, "value")
	v.Columns, v.Share = []string{rapid.SampledFrom([]string{"int", "float", "digits", "uint", "flag"}).Draw(t,
		"column")}, 0.1
	s.Value = &v
	return s
}

func findsClamp(tb testing.TB, s Spec) *kinds.Clamped {
	tb.Helper()
	q, err := New(s)
	if err != nil {
		tb.Fatal(err)
	}
	return q.(*kinds.Clamped)
}

// someClamp draws a clamp whose minimum and maximum are edges of bins, or ends of the public range.
func someClamp(t *rapid.T, q *kinds.Clamped) mechanism.Range {
	w := q.Widest()
	ends := []int64{w.Low, w.High}
	for i := range privateclamp.Edges {
		for _, e := range []int64{privateclamp.Edge(i), -privateclamp.Edge(i)} {
			if e > w.Low && e < w.High {
				ends = append(ends, e)
			}
		}
	}
	slices.Sort(ends)
	i := rapid.IntRange(0, len(ends)-2).Draw(t, "low")
	return mechanism.Range{Low: ends[i], High: ends[rapid.IntRange(i+1, len(ends)-1).Draw(t, "high")]}
}

// clampedAnswers returns the exact answers: the histogram, the sums under the clamp r, and the row counts if the query
// has them.
func clampedAnswers(tb testing.TB, q *kinds.Clamped, t *testTable, r mechanism.Range) (histogram []int64,
	sums []*big.Int, rows []int64) {
	tb.Helper()
	for i, spill := range spills() {
		exacts, err := accumulated(tb, q, t.schema(), spill, plainly(q, t)).hide()
		if err != nil {
			tb.Fatal(err)
		}
		chosen, err := exacts[0].Choose(r)
		if err != nil {
			tb.Fatalf("%+v: %v", r, err)
		}
		_, h := mechanismtest.Open(tb, exacts[len(exacts)-1])
		_, x := mechanismtest.OpenWide(tb, chosen)
		if i > 0 && (!slices.Equal(h, histogram) || !equalInts(x, sums)) {
			tb.Fatal("spilled rows give another answer")
		}
		if histogram, sums = h, x; len(exacts) == 3 {
			_, rows = mechanismtest.Open(tb, exacts[1])
		}
	}
	return histogram, sums, rows
}

// If the clamp is chosen after the rows are read, the sums equal the sums of a query with this clamp.
func TestSumsUnderAChosenClampAreThoseOfTheClamp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomClamped(rt), randomTable(rt)
		s.Unit = nil
		q := findsClamp(t, s)
		r := someClamp(rt, q)
		histogram, got, rows := clampedAnswers(t, q, tab, r)
		fixed, err := q.Chosen(r)
		if err != nil {
			rt.Fatal(err)
		}
		want, wantRows := sumsOf(t, fixed.(*kinds.Sums), tab, plainly(fixed, tab))
		if !equalInts(got, want) || !slices.Equal(rows, wantRows) && rows != nil {
			rt.Fatalf("%+v, clamp %+v\ngot  %v %v\nwant %v %v", *s.Value, r, got, rows, want, wantRows)
		}
		total, all := int64(0), int64(0)
		for _, n := range histogram {
			total += n
		}
		for _, n := range rows {
			all += n
		}
		if most := int64(privateclamp.CoarseWeight+1) * all; rows != nil &&
			(total > most || total < int64(privateclamp.CoarseWeight)*all) {
			rt.Fatalf("%d rows count %d in the histogram", all, total)
		}
	})
}

// Between neighbouring tables, neither the histogram nor the sums change by more than their stated sensitivities,
// whatever clamp is chosen.
func TestClampedNeighboursDifferByAtMostTheSensitivity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomClamped(rt), randomTable(rt)
		q := findsClamp(t, s)
		other, adj := neighbour(rt, s, tab)
		first, err := q.Histogram(adj)
		if err != nil {
			rt.Fatal(err)
		}
		r := someClamp(rt, q)
		fixed, err := q.Chosen(r)
		if err != nil {
			rt.Fatal(err)
		}
		components, err := fixed.Components(adj)
		if err != nil {
			rt.Fatal(err)
		}
		widest, err := q.Components(adj)
		if err != nil || widest[0].Sens.L2 < components[0].Sens.L2 {
			rt.Fatalf("a clamp has sensitivity %v, the public range %v; %v", components[0].Sens, widest[0].Sens, err)
		}
		h, x, n := clampedAnswers(t, q, tab, r)
		h2, x2, n2 := clampedAnswers(t, q, other, r)
		unit := fixed.(*kinds.Sums).Quantizer.Exponent
		if !within(bigInts(h), bigInts(h2), 0, first.Sens.L2) || !within(x, x2, unit, components[0].Sens.L2) || n != nil &&
			!within(bigInts(n), bigInts(n2), 0, components[1].Sens.L2) {
			rt.Fatalf("%+v, %s, clamp %+v\n%v %v\n%v %v\n%v, %v", *s.Value, adj, r, x, n, x2, n2, first.Sens, components)
		}
	})
}

// A clamp whose ends are not edges of bins is refused, and so is a second choice.
func TestClampedRefusesOtherClamps(t *testing.T) {
	s := Spec{Name: "q", Kind: Sum, Value: &quantize.Value{Columns: []string{"int"}, Lo: "0", Hi: "100", Share: 0.1}}
	q := findsClamp(t, s)
	tab := &testTable{fields: randomFields}
	exacts, err := accumulated(t, q, tab.schema(), nil, plainly(q, tab)).hide()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []mechanism.Range{{Low: 0, High: privateclamp.Edge(9) + 2}, {Low: 1, High: privateclamp.Edge(9)},
		{Low: 5, High: 5}, {Low: 9, High: 0}} {
		if _, err := exacts[0].Choose(r); err == nil {
			t.Errorf("%+v was chosen", r)
		}
	}
	for _, r := range []mechanism.Range{{Low: -1, High: 5}, {Low: 0, High: q.Widest().High + 1}, {Low: 5, High: 5}} {
		if _, err := q.Chosen(r); err == nil {
			t.Errorf("%+v is within the range", r)
		}
	}
}

// The clamp is found near the values, within the public range, and can be chosen again from the recorded values.
func TestClampIsFound(t *testing.T) {
	for _, c := range []struct {
		kind      Kind
		lo, hi    string
		from, to  float64 // values
		low, high float64 // the clamp that must be found, approximately
	}{
		{Sum, "0", "1e9", 40, 60, 0, 60},
		{Sum, "-1e9", "1e9", -60, -40, -60, 60},
		{Mean, "0", "1e9", 2e7, 2.1e7, 2e7, 2.1e7},
		{Mean, "-1e9", "1e9", -60, -40, -60, -40},
		{Mean, "-1e9", "1e9", -3, 5, -3, 5},
		{Sum, "50", "1e9", 40, 60, 50, 60},
		{Mean, "50", "55", 40, 60, 50, 55},
		{Sum, "-1e9", "-100", -60, -40, -100, -100},
	} {
		q := findsClamp(t, Spec{Name: "q", Kind: c.kind, Value: &quantize.Value{Columns: []string{"int"}, Lo: c.lo, Hi: c.hi,
			Share: 0.1}})
		first, err := q.Histogram(AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		w := q.Widest()
		cells := make([]int64, first.Cells)
		for i := range 20000 {
			x := int64(math.Ldexp(c.from+(c.to-c.from)*float64(i)/20000, -q.Quantizer.Exponent))
			privateclamp.Layout{Signed: w.Low < 0}.Count(cells, privateclamp.BinOf(min(max(x, w.Low), w.High)), 1)
		}
		values := make([]float64, len(cells))
		for i, n := range cells {
			values[i] = float64(n)
		}
		noisy := mechanismtest.Make(t, calibrate.Mechanism{Query: "q/clamp", Sens: first.Sens, Sigma: 30, Grid: 1}, values)
		components, err := q.Components(AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		charged := make([]calibrate.Mechanism, len(components))
		for i, p := range components {
			charged[i] = calibrate.Mechanism{Query: "q", Sens: p.Sens, Sigma: calibrate.Sigma(4 * p.Sens.L2), Grid: 1}
		}
		all, err := q.Find(noisy, charged, AddRemove)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		found := all.Clamp
		got := found.Clamp
		far := 0.25 * math.Max(math.Abs(c.low), math.Abs(c.high))
		if got[0] >= got[1] || math.Abs(got[0]-c.low) > far || math.Abs(got[1]-c.high) > far {
			t.Errorf("%+v: clamp %v", c, got)
		}
		if !found.Same() {
			t.Errorf("%+v: another clamp is found from the same numbers", c)
		}
		if found.High++; found.Same() {
			t.Errorf("%+v: another clamp is taken for the one that is found", c)
		}
		if _, err := q.Chosen(mechanism.Range{Low: found.Low, High: found.High - 1}); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

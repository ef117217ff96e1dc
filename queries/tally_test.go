package queries

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/tally"
)

// talliedBy tallies a query with one tally for each list of batches, merged into the first.
func talliedBy(tb testing.TB, q Query, s table.Schema, workers [][]*table.Batch) *tally.Tally {
	tb.Helper()
	var first *tally.Tally
	for _, batches := range workers {
		x, err := q.Tally(s)
		if err != nil {
			tb.Fatal(err)
		}
		for _, b := range batches {
			if err := x.Add(b); err != nil {
				tb.Fatal(err)
			}
		}
		if first == nil {
			first = x
		} else {
			first.Merge(x)
		}
	}
	return first
}

func rowsIn(cells []int64) (sum int64) {
	for _, n := range cells {
		sum += n
	}
	return sum
}

// The tally of any query agrees with its exact answer, in memory and spilled: the cells hold the rows that are counted
// and not dropped.
func TestTallyAgreesWithTheAnswer(t *testing.T) {
	asGathered = true
	defer func() { asGathered = false }()
	rapid.Check(t, func(rt *rapid.T) {
		s := randomSpec(rt)
		q, tab := must(t, s), randomTable(rt)
		_, workers := dealt(rt, q, tab)
		var kept int64
		for _, batches := range workers {
			for _, b := range batches {
				if b.Keep = rapid.SliceOfN(rapid.Bool(), b.Rows, b.Rows).Draw(rt, "keep"); rapid.Bool().Draw(rt, "all") {
					b.Keep = nil
				}
				for i := range b.Rows {
					if b.Keep == nil || b.Keep[i] {
						kept++
					}
				}
			}
		}
		tally := talliedBy(t, q, tab.schema(), workers)
		if tally.Rows() != kept {
			rt.Errorf("%d rows, want %d", tally.Rows(), kept)
		}
		used := tally.Rows()
		for _, x := range tally.Inputs() {
			if x.Rows != kept || x.Inside() < 0 {
				rt.Errorf("%+v of %d rows", x, kept)
			}
			used = min(used, x.Used())
		}
		if tally.Counted() > used {
			rt.Errorf("%d rows are counted, of which an input leaves %d", tally.Counted(), used)
		}
		for _, spill := range spills() {
			a := accumulated(t, q, tab.schema(), spill, workers)
			cells := counted(t, a)
			x := a.Bounded()
			if len(s.Unit) > 0 && x.Rows != tally.Counted() || len(s.Unit) == 0 && x != (bounding.BoundTally{}) {
				rt.Errorf("%+v, %d rows are counted", x, tally.Counted())
			}
			if got := rowsIn(cells); got != tally.Counted()-x.Cut {
				rt.Errorf("the cells hold %d rows, %d are counted and %d cut", got, tally.Counted(), x.Cut)
			}
		}
	})
}

// If a query has one dimension, with a null cell and an other cell, the tally's counts equal these cells.
func TestTallyIsTheCellsOfNullAndOther(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := rapid.SampledFrom(randomDimensions).Draw(rt, "dimension")
		d.Null, d.Other = domain.OwnCell, domain.OwnCell
		q, tab := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{d}}), randomTable(rt)
		_, workers := dealt(rt, q, tab)
		x := talliedBy(t, q, tab.schema(), workers).Inputs()[0]
		cells := exactOf(t, q, tab, workers)
		n := len(cells)
		if x.Null+x.Unparsed != cells[n-2] || x.Outside != cells[n-1] || x.Inside() != rowsIn(cells[:n-2]) {
			rt.Errorf("%+v, cells %v", x, cells)
		}
		if x.Used() != x.Rows {
			rt.Errorf("%+v uses %d rows", x, x.Used())
		}
	})
}

func textColumn(valid []bool, values ...string) table.Column {
	c := table.Column{Type: table.Type{Kind: table.String}, Valid: valid, Values: table.Values{Offsets: []uint32{0}}}
	for _, s := range values {
		c.Values.Data = append(c.Values.Data, s...)
		c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
	}
	return c
}

// classes holds the numbers of all rows and of null, unparsed, outside and clamped rows.
type classes [5]int64

func classesOf(t tally.Input) classes {
	return classes{t.Rows, t.Null, t.Unparsed, t.Outside, t.Clamped}
}

func checkTally(t *testing.T, what string, q Query, want map[tally.Role]classes, columns ...table.Column) {
	t.Helper()
	b := &table.Batch{Rows: columns[0].Len(), Columns: columns}
	s := table.Schema{}
	for i, name := range q.Columns() {
		s.Fields = append(s.Fields, table.Field{Name: name, Type: columns[i].Type})
	}
	for times, workers := range map[int][][]*table.Batch{1: {{b}}, 3: {{b}, {b, b}}} {
		got := map[tally.Role]classes{}
		for _, x := range talliedBy(t, q, s, workers).Inputs() {
			got[x.Role] = classesOf(x)
		}
		for role, w := range want {
			for i := range w {
				w[i] *= int64(times)
			}
			if got[role] != w {
				t.Errorf("%s, %d times: %s has %v, want %v", what, times, role, got[role], w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: inputs %v", what, got)
		}
	}
}

// The tally of values distinguishes nulls, texts that are not numbers, values in the range or at its ends, and values
// outside of the range.
func TestTallyOfValues(t *testing.T) {
	newQuery := func(v *quantize.Value) Query {
		q, err := New(Spec{Name: "q", Kind: Sum, Unit: []string{"u"}, Bounds: Bounds{MaxRows: 1}, Value: v})
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	inf := math.Inf(1)
	floats := func(x ...float64) table.Column {
		return table.Column{Type: table.Type{Kind: table.Float}, Values: table.Values{Floats: x}}
	}
	clamped := newQuery(&quantize.Value{Columns: []string{"x"}, Lo: "-0.1", Hi: "0.3"})
	units := ints(table.Int, 1, 2, 3, 4, 5, 6, 7)
	units.Valid = []bool{true, true, true, true, true, true, false}
	units.Unparsed = []bool{false, false, false, false, false, false, true}
	checkTally(t, "floats", clamped, map[tally.Role]classes{tally.RoleValue: {7, 1, 0, 0, 3},
		tally.RoleUnit: {7, 0, 1, 0, 0}},
		floats(0, -0.1, 0.3, 0.301, -inf, math.NaN(), inf), units)
	checkTally(t, "texts", clamped, map[tally.Role]classes{tally.RoleValue: {7, 1, 2, 0, 1},
		tally.RoleUnit: {7, 0, 1, 0, 0}},
		textColumn([]bool{true, true, true, true, true, false, true}, "0", "0.3", "0,3", "", "12", "", "0.1"), units)
	vector := newQuery(&quantize.Value{Columns: []string{"x", "y"}, ClipL2: "5"})
	checkTally(t, "vectors", vector, map[tally.Role]classes{tally.RoleValue: {3, 1, 0, 0, 1},
		tally.RoleUnit: {3, 0, 0, 0, 0}},
		floats(3, 3, math.NaN()), floats(4, 5, 0), ints(table.Int, 1, 2, 3))
}

// Filters are counted separately, and rows that pass all of them are counted.
func TestTallyOfFilters(t *testing.T) {
	text := func(s string) *string { return &s }
	f, err := domain.NewFilters("input.where", []domain.FilterSpec{{Column: "n", Min: text("2")}, {Column: "s", In: []string{"a"}},
		{Column: "s", NotNull: true}, {Column: "m", Max: text("9")}})
	if err != nil {
		t.Fatal(err)
	}
	n := ints(table.Int, 1, 2, 3, 4)
	n.Valid, n.Unparsed = []bool{true, true, false, false}, []bool{false, false, true, false}
	s, m := textColumn([]bool{true, true, true, false}, "a", "a", "b", ""), textColumn(nil, "1", "2", "9,5", "10")
	schema := table.Schema{Fields: []table.Field{{Name: "n", Type: n.Type}, {Name: "s", Type: s.Type},
		{Name: "m", Type: m.Type}}}
	got, err := tally.OfFilters(f, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Add(&table.Batch{Rows: 4, Columns: []table.Column{n, s, m}}); err != nil {
		t.Fatal(err)
	}
	want := []classes{{4, 1, 1, 1, 0}, {4, 1, 0, 1, 0}, {4, 1, 0, 0, 0}, {4, 0, 1, 1, 0}}
	for i, x := range got.Inputs() {
		if classesOf(x) != want[i] {
			t.Errorf("filter %d: %v, want %v", i, classesOf(x), want[i])
		}
	}
	if got.Counted() != 1 {
		t.Errorf("%d rows pass, want 1", got.Counted())
	}
}

// A text that cannot be a discovered key, such as invalid UTF-8, is outside.
func TestTallyOfDiscoveredKeys(t *testing.T) {
	q, err := New(Spec{Name: "q", Kind: Histogram, Unit: []string{"u"}, Bounds: Bounds{MaxGroups: 2},
		By: []domain.Dimension{{Column: "k", Discover: true}}})
	if err != nil {
		t.Fatal(err)
	}
	checkTally(t, "keys", q, map[tally.Role]classes{tally.RoleKey: {4, 1, 0, 1, 0}, tally.RoleUnit: {4, 0, 0, 0, 0}},
		textColumn([]bool{true, true, true, false}, "a", "M\xfcnchen", "", ""), ints(table.Int, 1, 1, 2, 2))
}

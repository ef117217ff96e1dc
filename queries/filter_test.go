package queries

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// randomFilters are conditions on the columns of random tables.
func randomFilters(t *rapid.T) []domain.FilterSpec {
	s := func(x string) *string { return &x }
	pool := []domain.FilterSpec{
		{Column: "int", From: s("0.5"), Before: s("3")},
		{Column: "int", Min: s("1"), Max: s("2.5")},
		{Column: "int", NotIn: []string{"1", "2.0"}},
		{Column: "uint", Min: s("3")},
		{Column: "uint", Before: s("9223372036854775808"), From: s("-1e30")},
		{Column: "uint", Max: s("18446744073709551615")},
		{Column: "float", From: s("0.1"), Before: s("2.5")},
		{Column: "float", Max: s("0.3")},
		{Column: "float", Min: s("0"), NotIn: []string{"1"}},
		{Column: "float", NotNull: true},
		{Column: "digits", From: s("-0.5"), Before: s("1")},
		{Column: "digits", Min: s("0.1"), Max: s("99")},
		{Column: "digits", NotNull: true},
		{Column: "text", In: []string{"a", "1"}},
		{Column: "text", NotIn: []string{"a", ""}},
		{Column: "flag", In: []string{"true"}},
		{Column: "day", From: s("1970-01-01T12:00"), Before: s("1970-01-03")},
		{Column: "day", In: []string{"1970-01-02"}, NotNull: true},
	}
	return rapid.SliceOfN(rapid.SampledFrom(pool), 0, 3).Draw(t, "filters")
}

// refKept reports whether a row fulfils all conditions.
func refKept(t *testTable, row []value, filters []domain.FilterSpec) bool {
	for _, f := range filters {
		at := t.schema().Index(f.Column)
		if !refFulfils(t.fields[at].Type, row[at], f) {
			return false
		}
	}
	return true
}

func refFulfils(t table.Type, v value, f domain.FilterSpec) bool {
	x, infinite := exactly(t, v)
	if v.null || t.Kind == table.Float && x == nil {
		return false
	}
	for list, want := range map[*[]string]bool{&f.In: true, &f.NotIn: false} {
		in := slices.ContainsFunc(*list, func(m string) bool {
			if t.Kind == table.String {
				return m == v.s
			}
			return infinite == 0 && x.Cmp(literal(t, m)) == 0
		})
		if len(*list) > 0 && in != want {
			return false
		}
	}
	for _, end := range []struct {
		text  *string
		holds func(cmp int) bool
	}{
		{f.From, func(c int) bool { return c >= 0 }}, {f.Min, func(c int) bool { return c >= 0 }},
		{f.Before, func(c int) bool { return c < 0 }}, {f.Max, func(c int) bool { return c <= 0 }},
	} {
		switch {
		case end.text == nil:
		case x == nil:
			return false
		case infinite != 0 && !end.holds(infinite), infinite == 0 && !end.holds(x.Cmp(literal(t, *end.text))):
			return false
		}
	}
	return true
}

func selector(tb testing.TB, t *testTable, specs []domain.FilterSpec) (*domain.CompiledFilters, domain.Filters) {
	tb.Helper()
	f, err := domain.NewFilters("input.where", specs)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := f.Compile(t.schema(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return s, f
}

// filtered returns the batches of a query with the rows marked that fulfil the filters.
func filtered(tb testing.TB, t *testTable, q Query, specs []domain.FilterSpec, cuts []int) []*table.Batch {
	tb.Helper()
	s, f := selector(tb, t, specs)
	batches := t.batches(q.Columns(), cuts, dictionaryKept)
	for i, b := range t.batches(f.Columns(), cuts, dictionaryOnce) {
		if err := s.Apply(b); err != nil {
			tb.Fatal(err)
		}
		batches[i].Keep = slices.Clone(b.Keep)
	}
	return batches
}

// without returns the table of the rows that fulfil the filters.
func without(t *testTable, filters []domain.FilterSpec) *testTable {
	rest := &testTable{fields: t.fields}
	for _, row := range t.rows {
		if refKept(t, row, filters) {
			rest.rows = append(rest.rows, row)
		}
	}
	return rest
}

// Filters keep the same rows as a simple reference, in every encoding; a dropped row stays dropped.
func TestFiltersAgreeWithTheReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tab, specs := randomTable(rt), randomFilters(rt)
		s, f := selector(t, tab, specs)
		how := encoding(rapid.IntRange(0, int(encodings)-1).Draw(rt, "encoding"))
		first := rapid.IntRange(0, len(tab.rows)).Draw(rt, "cut")
		row := 0
		for _, b := range tab.batches(f.Columns(), []int{first}, how) {
			if rapid.Bool().Draw(rt, "kept before") && b.Rows > 0 {
				b.Keep = make([]bool, b.Rows)
				b.Keep[0] = true
			}
			before := b.Keep
			if err := s.Apply(b); err != nil {
				rt.Fatal(err)
			}
			for i := range b.Rows {
				want := refKept(tab, tab.rows[row], specs) && (before == nil || before[i])
				if got := b.Keep == nil || b.Keep[i]; got != want {
					rt.Fatalf("%+v keeps %v: %v", specs, tab.rows[row], got)
				}
				row++
			}
			if b.Keep != nil && !slices.Contains(b.Keep, false) {
				rt.Fatal("nothing is dropped, and Keep is not nil")
			}
		}
	})
}

// The answer of a query is the same if the dropped rows are removed from the table.
func TestDroppedRowsAreInNoQuery(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab, specs := randomSpec(rt), randomTable(rt), randomFilters(rt)
		q := must(t, s)
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(tab.rows)), 0, 3).Draw(rt, "cuts")
		got := exactOf(t, q, tab, [][]*table.Batch{filtered(t, tab, q, specs, cuts)})
		if want := reference(s, without(tab, specs)); !slices.Equal(got, want) {
			rt.Fatalf("%+v, %+v\ngot  %v\nwant %v", s, specs, got, want)
		}
	})
}

// With filters, neighbouring tables differ by at most the sensitivity, and a filtered count is not public.
func TestFilteredNeighboursDifferByAtMostTheSensitivity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab, specs := randomSpec(rt), randomTable(rt), randomFilters(rt)
		s.Filtered = true
		q := must(t, s)
		other, adj := neighbour(rt, s, tab)
		one := exactOf(t, q, tab, [][]*table.Batch{filtered(t, tab, q, specs, nil)})
		two := exactOf(t, q, other, [][]*table.Batch{filtered(t, other, q, specs, nil)})
		if q.Constant(adj) {
			rt.Fatal("a filtered query is constant")
		}
		if got, most := squaredDistance(one, two), sensitivity.SquaredCounts(q.Limits, adj, q.Size); !most.IsInt64() ||
			got > most.Int64() {
			rt.Fatalf("%+v, %s: changed by sqrt(%d), sensitivity sqrt(%v)", s, adj, got, most)
		}
	})
}

func TestFilteredCountIsPrivate(t *testing.T) {
	s := Spec{Name: "q", Kind: Count, Filtered: true}
	components, err := must(t, s).Components(ReplaceOne)
	if err != nil || components[0].Sens.L2 != 1 {
		t.Fatalf("%+v, %v", components, err)
	}
	tab := &testTable{fields: smallSchema.Fields, rows: [][]value{{{n: 1}, {}}, {{n: 5}, {}}}}
	low := "2"
	specs := []domain.FilterSpec{{Column: "x", Min: &low}}
	one := exactOf(t, must(t, s), tab, [][]*table.Batch{filtered(t, tab, must(t, s), specs, nil)})
	tab.rows[0][0].n = 2
	two := exactOf(t, must(t, s), tab, [][]*table.Batch{filtered(t, tab, must(t, s), specs, nil)})
	if one[0] != 1 || two[0] != 2 {
		t.Errorf("%v and %v: the sensitivity is attained", one, two)
	}
}

func TestFilterForAWindow(t *testing.T) {
	local := table.Type{Kind: table.Timestamp, Unit: 1e9, Zone: table.Local}
	from := "2013-01-01T23:59:59"
	tab := &testTable{fields: []table.Field{{Name: "x", Type: local}}}
	day := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	for _, s := range []int64{86398, 86399, 86400, 86399 + 3599, 86399 + 3600} {
		tab.rows = append(tab.rows, []value{{n: day + s}})
	}
	s, f := selector(t, tab, []domain.FilterSpec{{Column: "x", From: &from, For: "1h"}})
	b := tab.batches(f.Columns(), nil, plain)[0]
	if err := s.Apply(b); err != nil || !slices.Equal(b.Keep, []bool{false, true, true, true, false}) {
		t.Errorf("%v, %v", b.Keep, err)
	}
}

func TestBadFilters(t *testing.T) {
	s := func(x string) *string { return &x }
	schema := table.Schema{Fields: []table.Field{
		{Name: "n", Type: table.Type{Kind: table.Int}}, {Name: "f", Type: table.Type{Kind: table.Float}}, {Name: "text",
			Type: table.Type{Kind: table.String}},
		{Name: "flag", Type: table.Type{Kind: table.Bool}}, {Name: "day", Type: table.Type{Kind: table.Date}}, {Name: "list",
			Type: table.Type{Name: "list"}},
	}}
	for name, c := range map[string]struct {
		f           domain.FilterSpec
		field, code string
	}{
		"no column":      {domain.FilterSpec{NotNull: true}, ".column", problem.CodeBadSpec},
		"no condition":   {domain.FilterSpec{Column: "n"}, "", problem.CodeBadSpec},
		"for of nothing": {domain.FilterSpec{Column: "day", For: "1h"}, ".for", problem.CodeBadSpec},
		"for and before": {domain.FilterSpec{Column: "day", From: s("2013-01-01"), Before: s("2014-01-01"), For: "1h"},
			".for", problem.CodeBadSpec},
		"no length": {domain.FilterSpec{Column: "day", From: s("2013-01-01"), For: "0h"}, ".for",
			problem.CodeBadValue},
		"misspelt":         {domain.FilterSpec{Column: "txet", NotNull: true}, ".column", problem.CodeUnknownColumn},
		"not an integer":   {domain.FilterSpec{Column: "n", Min: s("a")}, ".min", problem.CodeBadValue},
		"not a float":      {domain.FilterSpec{Column: "f", Before: s("1e999")}, ".before", problem.CodeBadValue},
		"text by time":     {domain.FilterSpec{Column: "text", From: s("2013-01-01")}, ".from", problem.CodeBadValue},
		"flags in a range": {domain.FilterSpec{Column: "flag", Max: s("1")}, ".column", problem.CodeColumnType},
		"flags listed":     {domain.FilterSpec{Column: "flag", In: []string{"yes"}}, ".in", problem.CodeBadValue},
		"not in numbers":   {domain.FilterSpec{Column: "n", NotIn: []string{"1", "b"}}, ".not_in", problem.CodeBadValue},
		"lists":            {domain.FilterSpec{Column: "list", NotNull: true}, ".column", problem.CodeColumnType},
		"listed lists":     {domain.FilterSpec{Column: "list", In: []string{"1", "2"}}, ".column", problem.CodeColumnType},
		"for of numbers":   {domain.FilterSpec{Column: "n", From: s("1"), For: "1h"}, ".for", problem.CodeColumnType},
		"empty":            {domain.FilterSpec{Column: "n", From: s("1"), Before: s("1.0")}, ".before", problem.CodeBadValue},
		"max below min": {domain.FilterSpec{Column: "day", Min: s("2013-01-02"), Max: s("2013-01-01")}, ".max",
			problem.CodeBadValue},
	} {
		f, err := domain.NewFilters("input.where", []domain.FilterSpec{{Column: "n", NotNull: true}, c.f})
		if err == nil {
			_, err = f.Compile(schema, nil)
		}
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != "input.where[1]"+c.field || es[0].Code != c.code ||
			es[0].Query != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := domain.NewFilters("input.where", []domain.FilterSpec{{Column: "n"}})
	if got := fmt.Sprint(err); got[:len("input.where[0]: bad-query: ")] != "input.where[0]: bad-query: " {
		t.Errorf("%s", got)
	}
}

// A list is not null, however many numbers it has.
func TestNotNullOfLists(t *testing.T) {
	f, err := domain.NewFilters("input.where", []domain.FilterSpec{{Column: "x", NotNull: true}})
	if err != nil {
		t.Fatal(err)
	}
	lists := table.Column{Type: table.Type{Kind: table.List}, Lists: []uint32{0, 0, 0, 1},
		Valid: []bool{true, false, true}}
	lists.Values.Floats = []float64{math.NaN()}
	s, err := f.Compile(table.Schema{Fields: []table.Field{{Name: "x", Type: lists.Type}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &table.Batch{Rows: 3, Columns: []table.Column{lists}}
	if err := s.Apply(b); err != nil || !slices.Equal(b.Keep, []bool{true, false, true}) {
		t.Errorf("%v, %v", b.Keep, err)
	}
}

// A batch that does not fit its schema is an error, never a panic.
func TestFiltersOfBadBatches(t *testing.T) {
	tab := &testTable{fields: smallSchema.Fields}
	s, _ := selector(t, tab, []domain.FilterSpec{{Column: "x", NotNull: true}})
	for _, b := range []*table.Batch{
		{Rows: 1}, {Rows: 2, Columns: []table.Column{ints(table.Int, 1)}}, {Rows: 1,
			Columns: []table.Column{ints(table.Uint, 1)}},
		{Rows: 1, Columns: []table.Column{ints(table.Int, 1)}, Keep: []bool{true, true}},
	} {
		if err := s.Apply(b); !errors.Is(err, columnar.ErrShape) {
			t.Errorf("%+v: %v", b, err)
		}
	}
	for name, q := range smallQueries(t) {
		b := tab.batches(q.Columns(), nil, plain)[0]
		b.Keep = []bool{true}
		if err := open(t, q, smallSchema).Add(b); !errors.Is(err, columnar.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Infinite and very large values are beyond all ends.
func TestFiltersOfExtremes(t *testing.T) {
	zero, big := "0", "1e30"
	tab := &testTable{fields: []table.Field{{Name: "f", Type: table.Type{Kind: table.Float}},
		{Name: "n", Type: table.Type{Kind: table.Int}}}}
	for i, x := range []float64{math.Inf(-1), -1, math.Copysign(0, -1), math.MaxFloat64, math.Inf(1), math.NaN()} {
		tab.rows = append(tab.rows, []value{{x: x}, {n: []int64{math.MinInt64, -1, 0, 1, math.MaxInt64, 7}[i]}})
	}
	for _, c := range []struct {
		spec domain.FilterSpec
		want string // of the six rows
	}{
		{domain.FilterSpec{Column: "f", Min: &zero}, "001110"}, {domain.FilterSpec{Column: "f", Before: &zero},
			"110000"}, {domain.FilterSpec{Column: "f", NotIn: []string{"0"}}, "110110"},
		{domain.FilterSpec{Column: "n", Before: &big}, "111111"}, {domain.FilterSpec{Column: "n", From: &big},
			"000000"}, {domain.FilterSpec{Column: "n", Max: &zero}, "111000"},
	} {
		s, f := selector(t, tab, []domain.FilterSpec{c.spec})
		b := tab.batches(f.Columns(), nil, plain)[0]
		if err := s.Apply(b); err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			if got := b.Keep == nil || b.Keep[i]; got != (c.want[i] == '1') {
				t.Errorf("%+v, row %d: %v", c.spec, i, got)
			}
		}
	}
}

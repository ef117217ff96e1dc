package queries

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"github.com/dprelease/dprelease/queries/domain"
)

// randomFilter draws a condition on a column x of integers.
func randomFilter(rt *rapid.T) domain.FilterSpec {
	number := func(label string) *string {
		x := strconv.Itoa(rapid.IntRange(-20, 20).Draw(rt, label))
		return &x
	}
	f := domain.FilterSpec{Column: "x"}
	switch rapid.IntRange(0, 4).Draw(rt, "form") {
	case 0:
		f.From = number("from")
	case 1:
		f.Before = number("before")
	case 2:
		f.Min = number("min")
		f.Max = f.Min
	case 3:
		f.In = []string{*number("in"), *number("in too")}
	case 4:
		f.NotIn = []string{*number("not in")}
	}
	return f
}

// selectorOf compiles one filter on a column x of a kind.
func selectorOf(t rapid.TB, f domain.FilterSpec, kind table.Kind) *domain.CompiledFilters {
	t.Helper()
	filters, err := domain.NewFilters("input.where", []domain.FilterSpec{f})
	if err != nil {
		t.Fatal(err)
	}
	typ := table.Type{Kind: kind}
	if kind == table.Timestamp {
		typ.Unit = 1
	}
	s, err := filters.Compile(table.Schema{Fields: []table.Field{{Name: "x", Type: typ}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// If a selector reports that no value within bounds passes, then none passes.
func TestNoneIsTrue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := randomFilter(rt)
		s := selectorOf(rt, f, table.Int)
		low := rapid.Int64Range(-25, 25).Draw(rt, "low")
		b := table.Bounds{Min: low, Max: low + rapid.Int64Range(0, 9).Draw(rt, "width")}
		if !s.RulesOut(func(int) (table.Bounds, bool) { return b, true }) {
			return
		}
		var ints []int64
		for x := b.Min; x <= b.Max; x++ {
			ints = append(ints, x)
		}
		batch := tabletest.Batch(tabletest.Ints(table.Type{Kind: table.Int}, ints, nil))
		if err := s.Apply(batch); err != nil {
			rt.Fatal(err)
		}
		for row := range batch.Rows {
			if batch.Keep == nil || batch.Keep[row] {
				rt.Fatalf("row %d of %v passes %+v", row, b, f)
			}
		}
	})
}

// A condition on integers, dates or times reports bounds that lie outside of it. For other kinds, bounds rule out
// nothing.
func TestNoneRulesOut(t *testing.T) {
	six, day := "6", "1970-01-07"
	for _, c := range []struct {
		filter domain.FilterSpec
		kinds  []table.Kind
		want   bool
	}{
		{domain.FilterSpec{Min: &six}, []table.Kind{table.Int}, true},
		{domain.FilterSpec{In: []string{six, "1"}}, []table.Kind{table.Int}, true},
		{domain.FilterSpec{From: &day}, []table.Kind{table.Date, table.Timestamp}, true},
		{domain.FilterSpec{In: []string{day}}, []table.Kind{table.Date}, true},
		{domain.FilterSpec{NotIn: []string{"4"}}, []table.Kind{table.Int}, false},
		{domain.FilterSpec{NotNull: true}, []table.Kind{table.Int, table.Float, table.String}, false},
		{domain.FilterSpec{Min: &six}, []table.Kind{table.Float, table.Uint, table.String}, false},
		{domain.FilterSpec{In: []string{six}}, []table.Kind{table.Float, table.String}, false},
	} {
		for _, kind := range c.kinds {
			c.filter.Column = "x"
			s := selectorOf(t, c.filter, kind)
			if got := s.RulesOut(func(int) (table.Bounds, bool) { return table.Bounds{Min: 3, Max: 5}, true }); got != c.want {
				t.Errorf("%v, %+v: %v", kind, c.filter, got)
			}
			if s.RulesOut(func(int) (table.Bounds, bool) { return table.Bounds{}, false }) {
				t.Errorf("%v, %+v: ruled out by nothing", kind, c.filter)
			}
		}
	}
}

// Bounds are signed. For unsigned numbers they rule out nothing, since the upper half would compare as below the lower
// one.
func TestNoneOfUnsignedNumbers(t *testing.T) {
	x, large := "5", "18446744073709551615"
	for _, f := range []domain.FilterSpec{{Column: "x", Min: &x}, {Column: "x", From: &x}, {Column: "x", Max: &x},
		{Column: "x", Min: &large}} {
		s := selectorOf(t, f, table.Uint)
		for _, b := range []table.Bounds{{Min: -9, Max: -1}, {Min: 0, Max: 4}, {Min: 6, Max: 9}} {
			if s.RulesOut(func(int) (table.Bounds, bool) { return b, true }) {
				t.Errorf("%+v: unsigned numbers between %d and %d are ruled out", f, b.Min, b.Max)
			}
		}
	}
}

package queries

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"pgregory.net/rapid"
)

// randomFilter draws a condition on a column x of numbers.
func randomFilter(rt *rapid.T, kind table.Kind) FilterSpec {
	if kind == table.String {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 4, -1)
		if rapid.IntRange(0, 3).Draw(rt, "form") == 0 {
			return FilterSpec{Column: "x", NotIn: []string{word.Draw(rt, "not in")}}
		}
		return FilterSpec{Column: "x", In: rapid.SliceOfN(word, 1, 3).Draw(rt, "in")}
	}
	number := func(label string) *string {
		x := strconv.Itoa(rapid.IntRange(-20, 20).Draw(rt, label))
		if kind == table.Float {
			x += ".5"
		}
		return &x
	}
	f := FilterSpec{Column: "x"}
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

// drawBounds draws bounds of a kind and a column of values between them, with NaN.
func drawBounds(rt *rapid.T, typ table.Type) (b table.Bounds, column table.Column) {
	low := rapid.IntRange(-25, 25).Draw(rt, "low")
	high := low + rapid.IntRange(0, 9).Draw(rt, "width")
	b = table.Bounds{Ints: [2]int64{int64(low), int64(high)}, Floats: [2]float64{float64(low), float64(high)}}
	ints, floats := []int64{}, []float64{math.NaN()}
	for x := low; x <= high; x++ {
		ints = append(ints, int64(x))
		floats = append(floats, float64(x), math.Min(float64(x)+0.5, float64(high)))
	}
	switch typ.Kind {
	case table.Float:
		return b, tabletest.Floats(floats, nil)
	case table.String:
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 3, -1)
		texts := rapid.SliceOfN(letters, 1, 5).Draw(rt, "texts")
		b.Texts = [2]string{slices.Min(texts), slices.Max(texts)}
		for i := range b.Texts { // cut short
			b.Texts[i] = b.Texts[i][:rapid.IntRange(0, len(b.Texts[i])).Draw(rt, "cut")]
		}
		return b, tabletest.Strings(texts, nil)
	}
	return b, tabletest.Ints(typ, ints, nil)
}

// No value between bounds of which a selector says that none passes does pass.
func TestNoneIsTrue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		typ := table.Type{Kind: rapid.SampledFrom([]table.Kind{table.Int, table.Float, table.String}).Draw(rt, "kind")}
		f := randomFilter(rt, typ.Kind)
		filters, err := NewFilters([]FilterSpec{f})
		if err != nil {
			rt.Fatal(err)
		}
		s, err := filters.Compile(table.Schema{Fields: []table.Field{{Name: "x", Type: typ}}}, nil)
		if err != nil {
			rt.Fatal(err)
		}
		b, column := drawBounds(rt, typ)
		if !table.NewChecker(typ.Kind, b).Holds(&column) {
			rt.Fatalf("%v is not within %v", column, b)
		}
		if !s.None(func(int) (table.Bounds, bool) { return b, true }) {
			return
		}
		batch := tabletest.Batch(column)
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

// What is surely beyond a condition is known to be.
func TestNoneRulesOut(t *testing.T) {
	b := table.Bounds{Ints: [2]int64{3, 5}, Floats: [2]float64{3, 5}, Texts: [2]string{"b", "d"}}
	six := "6"
	for _, f := range []FilterSpec{{Min: &six}, {From: &six}, {In: []string{"6", "1"}}} {
		for _, kind := range []table.Kind{table.Int, table.Float, table.String} {
			f.Column = "x"
			filters, err := NewFilters([]FilterSpec{f})
			if err != nil {
				t.Fatal(err)
			}
			s, err := filters.Compile(table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: kind}}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			none := s.None(func(int) (table.Bounds, bool) { return b, true })
			if texts := kind == table.String && f.In == nil; none == texts { // texts are not in the order of numbers
				t.Errorf("%v, %+v: %v", kind, f, none)
			}
		}
	}
}

// Where there are only nulls and NaN, no filter passes; unsigned numbers have no bounds.
func TestNoneWithoutValues(t *testing.T) {
	for _, kind := range []table.Kind{table.Int, table.Float, table.String, table.Uint} {
		filters, err := NewFilters([]FilterSpec{{Column: "x", NotIn: []string{"1"}}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := filters.Compile(table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: kind}}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, empty := range []bool{true, false} {
			none := s.None(func(int) (table.Bounds, bool) { return table.Bounds{Empty: empty}, true })
			if none != empty {
				t.Errorf("%v: empty %v, none passes %v", kind, empty, none)
			}
		}
	}
}

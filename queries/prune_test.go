package queries

import (
	"math"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"pgregory.net/rapid"
)

// randomFilter draws a condition on a column x of numbers.
func randomFilter(rt *rapid.T, kind table.Kind) FilterSpec {
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

// No value between bounds of which a selector says that none passes does pass.
func TestNoneIsTrue(t *testing.T) {
	excluded := 0
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]table.Kind{table.Int, table.Float, table.Uint}).Draw(rt, "kind")
		f := randomFilter(rt, kind)
		filters, err := NewFilters([]FilterSpec{f})
		if err != nil {
			rt.Fatal(err)
		}
		typ := table.Type{Kind: kind}
		s, err := filters.Compile(table.Schema{Fields: []table.Field{{Name: "x", Type: typ}}}, nil)
		if err != nil {
			rt.Fatal(err)
		}
		low := rapid.IntRange(-25, 25).Draw(rt, "low")
		high := low + rapid.IntRange(0, 9).Draw(rt, "width")
		b := table.Bounds{Ints: [2]int64{int64(low), int64(high)}, Floats: [2]float64{float64(low), float64(high)}}
		if !s.None(func(int) (table.Bounds, bool) { return b, true }) {
			return
		}
		excluded++
		ints, floats := []int64{}, []float64{math.NaN()}
		for x := low; x <= high; x++ {
			ints = append(ints, int64(x))
			floats = append(floats, float64(x), math.Min(float64(x)+0.5, float64(high)))
		}
		column := tabletest.Ints(typ, ints, nil)
		if kind == table.Float {
			column = tabletest.Floats(floats, nil)
		}
		batch := tabletest.Batch(column)
		if err := s.Apply(batch); err != nil {
			rt.Fatal(err)
		}
		for row := range batch.Rows {
			if batch.Keep == nil || batch.Keep[row] {
				rt.Fatalf("row %d of %d to %d passes %+v", row, low, high, f)
			}
		}
	})
	if excluded == 0 {
		t.Error("nothing was excluded")
	}
}

package queries

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
	"pgregory.net/rapid"
)

func summed(tb testing.TB, s Spec) *summing {
	tb.Helper()
	q, err := New(s)
	if err != nil {
		tb.Fatal(err)
	}
	return q.(*summing)
}

func valued(kind Kind, v Value) Spec {
	if v.Columns == nil {
		v.Columns = []string{"x"}
	}
	return Spec{Name: "q", Kind: kind, Value: &v}
}

// quantizerOf checks a value and returns what it became.
func quantizerOf(tb testing.TB, kind Kind, v Value) *quantizer {
	tb.Helper()
	return summed(tb, valued(kind, v)).quantizer
}

// decimals are bounds and values of all sizes.
func decimals(label string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		x := domain.Shortest(rapid.Float64Range(-1e3, 1e3).Draw(t, label))
		if strings.Contains(x, "e") {
			return x
		}
		return x + rapid.SampledFrom([]string{"", "e-200", "e-9", "e9", "e30", "e200"}).Draw(t, label)
	})
}

// The unit is a power of two from V·2^-40 to V·2^-30, and the range on its multiples is within the bounds, by less than a
// unit, or two for means.
func TestUnitAndRange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lo, hi := decimals("lo").Draw(rt, "lo"), decimals("hi").Draw(rt, "hi")
		low, _ := domain.Number(lo)
		high, _ := domain.Number(hi)
		if low.Cmp(high) > 0 {
			lo, hi, low, high = hi, lo, high, low
		}
		kind := rapid.SampledFrom([]Kind{Sum, Mean}).Draw(rt, "kind")
		query, err := New(valued(kind, Value{Lo: lo, Hi: hi}))
		if err != nil {
			if !strings.Contains(err.Error(), "clamp: bad-value") {
				rt.Fatal(err)
			}
			return // equal, or nearly so
		}
		q := query.(*summing).quantizer
		u := powerOfTwo(q.unit)
		v := new(big.Rat).Abs(low)
		if w := new(big.Rat).Abs(high); w.Cmp(v) > 0 {
			v = w
		}
		units := v.Quo(v, u)
		if units.Cmp(powerOfTwo(30)) < 0 || units.Cmp(powerOfTwo(40)) > 0 {
			rt.Fatalf("V is %v units", units)
		}
		below := new(big.Rat).Sub(new(big.Rat).SetInt64(q.low), new(big.Rat).Quo(low, u))
		above := new(big.Rat).Sub(new(big.Rat).Quo(high, u), new(big.Rat).SetInt64(q.high))
		if below.Sign() < 0 || above.Sign() < 0 || below.Cmp(powerOfTwo(0)) >= 0 || above.Cmp(powerOfTwo(1)) >= 0 {
			rt.Fatalf("[%s, %s] became [%d, %d], unit 2^%d", lo, hi, q.low, q.high, q.unit)
		}
		if kind == Mean && q.centre-q.low != q.high-q.centre {
			rt.Fatalf("centre %d of [%d, %d]", q.centre, q.low, q.high)
		}
	})
}

// Values are rounded to the nearest multiple of the unit, ties to even, and moved into the range.
func TestClampedIsTheNearest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SampledFrom([]Value{{Lo: "0", Hi: "99"}, {Lo: "-0.1", Hi: "0.3"}, {Lo: "1e9", Hi: "1000000001"}, {Lo: "-5e-200", Hi: "1e-200"}, {Lo: "-1e15", Hi: "7e200"}}).Draw(rt, "value")
		q := quantizerOf(t, rapid.SampledFrom([]Kind{Sum, Mean}).Draw(rt, "kind"), v)
		x := rapid.Float64Range(2*q.size(q.low)-q.size(q.high), 2*q.size(q.high)).Draw(rt, "x")
		if rapid.Bool().Draw(rt, "tie") {
			x = q.size(rapid.Int64Range(q.low, q.high).Draw(rt, "units")) + q.size(1)/2
		}
		units := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), powerOfTwo(-q.unit))
		down := domain.Floor(units)
		twice := units.Sub(units, new(big.Rat).SetInt(down))
		twice.Add(twice, twice)
		want := down
		if c := twice.Cmp(powerOfTwo(0)); c > 0 || c == 0 && down.Bit(0) == 1 {
			want = down.Add(down, big.NewInt(1))
		}
		if want.Cmp(big.NewInt(q.low)) < 0 {
			want = big.NewInt(q.low)
		}
		if want.Cmp(big.NewInt(q.high)) > 0 {
			want = big.NewInt(q.high)
		}
		if got := q.clamped(x); got != want.Int64() {
			rt.Fatalf("%g is %d units, want %v", x, got, want)
		}
	})
}

func TestWholeNumbersAreExact(t *testing.T) {
	for _, v := range []Value{{Lo: "0", Hi: "99"}, {Lo: "-1099511627776", Hi: "1099511627776"}, {Lo: "1", Hi: "2"}} {
		q := quantizerOf(t, Sum, v)
		for _, x := range []float64{q.size(q.low), q.size(q.high), 1, 2} {
			if got := q.size(q.clamped(x)); got != x {
				t.Errorf("%+v: %g became %g", v, x, got)
			}
		}
		if q.clamped(math.Inf(1)) != q.high || q.clamped(math.Inf(-1)) != q.low {
			t.Errorf("%+v: infinite values are not at the ends", v)
		}
	}
}

func TestBadValues(t *testing.T) {
	list := Value{Columns: []string{"x"}, List: true}
	for field, s := range map[string]Spec{
		"sum: bad-query":                {Name: "q", Kind: Sum},
		"mean: bad-query":               {Name: "q", Kind: Mean, Value: &Value{Lo: "0", Hi: "1"}},
		"count: bad-query":              {Name: "q", Kind: Count, Value: &Value{Columns: []string{"x"}, Lo: "0", Hi: "1"}},
		"sum.column: bad-query":         valued(Sum, Value{Columns: []string{""}, Lo: "0", Hi: "1"}),
		"sum.columns[1]: duplicate":     valued(Sum, Value{Columns: []string{"x", "x"}, Lo: "0", Hi: "1"}),
		"sum.columns: bad-query":        valued(Sum, Value{Columns: []string{"x", "y"}, List: true, Length: 2, Lo: "0", Hi: "1"}),
		"sum.length: bad-query":         valued(Sum, Value{Columns: list.Columns, List: true, Lo: "0", Hi: "1"}),
		"mean.length: bad-query":        valued(Mean, Value{Length: 2, Lo: "0", Hi: "1"}),
		"sum: too-many-cells":           valued(Sum, Value{List: true, Length: maxLength + 1, Lo: "0", Hi: "1"}),
		"mean.clamp: bad-value":         valued(Mean, Value{Lo: "0", Hi: "x"}),
		"sum.clamp: bad-value":          valued(Sum, Value{Lo: "1", Hi: "1.0"}),
		"sum.clamp: bad-value: the bou": valued(Sum, Value{Lo: "1e30", Hi: "1000000000000000000000000000001"}),
		"mean.clamp: bad-value: the bo": valued(Mean, Value{Lo: "1", Hi: "1e300"}),
		"sum.clip_l2: bad-value":        valued(Sum, Value{ClipL2: "-1"}),
		"sum.clip_l2: bad-value: the b": valued(Sum, Value{ClipL2: "1e-300"}),
		"sum: bad-query: a value needs": valued(Sum, Value{ClipL2: "1", Lo: "0", Hi: "1"}),
		"mean: bad-query: a value need": valued(Mean, Value{}),
		"sum.rows: bad-query":           valued(Sum, Value{Lo: "0", Hi: "1", Rows: 3}),
		"mean.rows: bad-value":          valued(Mean, Value{Lo: "0", Hi: "1", Rows: -3}),
		"mean.rows: bad-query":          {Name: "q", Kind: Mean, Filtered: true, Value: &Value{Columns: []string{"x"}, Lo: "0", Hi: "1", Rows: 3}},
		"mean.rows: bad-query: the num": {
			Name: "q", Kind: Mean, Unit: []string{"u"}, Bounds: Bounds{MaxRows: 1}, Value: &Value{Columns: []string{"x"}, Lo: "0", Hi: "1", Rows: 3},
		},
		"sum.by[0]: duplicate": {
			Name: "q", Kind: Sum, By: []domain.Dimension{{Column: "component", Labels: numbered(2)}}, Value: &Value{Columns: []string{"x", "y"}, Lo: "0", Hi: "1"},
		},
		"mean.by[0]: duplicate": {
			Name: "q", Kind: Mean, By: []domain.Dimension{{Column: "noisy_centred_sum", Labels: numbered(2)}}, Value: &Value{Columns: []string{"x"}, Lo: "0", Hi: "1"},
		},
		"sum.by: too-many-cells": {
			Name: "q", Kind: Sum, By: []domain.Dimension{{Column: "y", Labels: numbered(4096)}}, Value: &Value{Columns: []string{"x"}, List: true, Length: 1 << 19, Lo: "0", Hi: "1"},
		},
	} {
		if _, err := New(s); len(problem.Errors(err)) != 1 || !strings.HasPrefix(err.Error(), "query q: "+field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestValueColumnTypes(t *testing.T) {
	numeric := valued(Sum, Value{Lo: "0", Hi: "1"})
	lists := valued(Sum, Value{List: true, Length: 2, Lo: "0", Hi: "1"})
	for _, c := range []struct {
		s    Spec
		kind table.Kind
		ok   bool
	}{
		{numeric, table.Bool, true}, {numeric, table.Int, true}, {numeric, table.Uint, true}, {numeric, table.Float, true}, {numeric, table.String, true},
		{numeric, table.Date, false}, {numeric, table.Timestamp, false}, {numeric, table.List, false}, {numeric, table.Invalid, false},
		{lists, table.List, true}, {lists, table.Float, false}, {lists, table.Date, false},
	} {
		schema := table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: c.kind}}}}
		_, err := summed(t, c.s).New(schema, nil)
		es := problem.Errors(err)
		if (err == nil) != c.ok || err != nil && (es[0].Code != problem.CodeColumnType || es[0].Field != "sum.column") {
			t.Errorf("%v, list %v: %v", c.kind, c.s.Value.List, err)
		}
	}
	_, err := summed(t, numeric).New(table.Schema{Fields: []table.Field{{Name: "X"}}}, nil)
	if es := problem.Errors(err); len(es) != 1 || es[0].Code != problem.CodeUnknownColumn || es[0].Hint != "did you mean X?" {
		t.Errorf("%v", err)
	}
	counts := Spec{Name: "q", Kind: Count, Unit: []string{"x"}, Bounds: Bounds{MaxRows: 1}}
	if _, err := must(t, counts).New(table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.List}}}}, nil); err == nil {
		t.Error("a list is a privacy unit")
	}
}

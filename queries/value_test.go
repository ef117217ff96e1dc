package queries

import (
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
)

func summed(tb testing.TB, s Spec) *kinds.Sums { return makeQuery[*kinds.Sums](tb, s) }

func valued(kind Kind, v quantize.Value) Spec {
	if v.Columns == nil {
		v.Columns = []string{"x"}
	}
	return Spec{Name: "q", Kind: kind, Value: &v}
}

func TestBadValues(t *testing.T) {
	list := quantize.Value{Columns: []string{"x"}, List: true}
	for field, s := range map[string]Spec{
		"sum: bad-query":  {Name: "q", Kind: Sum},
		"mean: bad-query": {Name: "q", Kind: Mean, Value: &quantize.Value{Lo: "0", Hi: "1"}},
		"count.weight.clamp: bad-value": {Name: "q", Kind: Count,
			Value: &quantize.Value{Columns: []string{"x"}, Lo: "-1", Hi: "1"}},
		"mean.weight.clamp: bad-value": valued(Mean, quantize.Value{Lo: "0", Hi: "1",
			Weight: &quantize.Value{Columns: []string{"w"}, Lo: "-1", Hi: "1"}}),
		"mean.weight: bad-query": valued(Mean, quantize.Value{ClipL2: "1",
			Weight: &quantize.Value{Columns: []string{"w"}, Lo: "0", Hi: "1"}}),
		"sum.weight: bad-query": valued(Sum, quantize.Value{Lo: "0", Hi: "1",
			Weight: &quantize.Value{Columns: []string{"w"}, Lo: "0", Hi: "1"}}),
		"histogram.weight: bad-query": {Name: "q", Kind: Histogram, By: []domain.Dimension{{Column: "g", Discover: true}},
			Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1"}},
		"sum.column: bad-query":     valued(Sum, quantize.Value{Columns: []string{""}, Lo: "0", Hi: "1"}),
		"sum.columns[1]: duplicate": valued(Sum, quantize.Value{Columns: []string{"x", "x"}, Lo: "0", Hi: "1"}),
		"sum.columns: bad-query": valued(Sum, quantize.Value{Columns: []string{"x", "y"}, List: true, Length: 2,
			Lo: "0", Hi: "1"}),
		"sum.length: bad-query":         valued(Sum, quantize.Value{Columns: list.Columns, List: true, Lo: "0", Hi: "1"}),
		"mean.length: bad-query":        valued(Mean, quantize.Value{Length: 2, Lo: "0", Hi: "1"}),
		"sum: too-many-cells":           valued(Sum, quantize.Value{List: true, Length: 1<<20 + 1, Lo: "0", Hi: "1"}),
		"mean.clamp: bad-value":         valued(Mean, quantize.Value{Lo: "0", Hi: "x"}),
		"sum.clamp: bad-value":          valued(Sum, quantize.Value{Lo: "1", Hi: "1.0"}),
		"sum.clamp: bad-value: the bou": valued(Sum, quantize.Value{Lo: "1e30", Hi: "1000000000000000000000000000001"}),
		"mean.clamp: bad-value: the bo": valued(Mean, quantize.Value{Lo: "1", Hi: "1e300"}),
		"sum.clip_l2: bad-value":        valued(Sum, quantize.Value{ClipL2: "-1"}),
		"sum.clip_l2: bad-value: the b": valued(Sum, quantize.Value{ClipL2: "1e-300"}),
		"sum: bad-query: a value needs": valued(Sum, quantize.Value{ClipL2: "1", Lo: "0", Hi: "1"}),
		"mean: bad-query: a value need": valued(Mean, quantize.Value{}),
		"sum.rows: bad-query":           valued(Sum, quantize.Value{Lo: "0", Hi: "1", Rows: 3}),
		"mean.rows: bad-value":          valued(Mean, quantize.Value{Lo: "0", Hi: "1", Rows: -3}),
		"mean.rows: bad-query": {Name: "q", Kind: Mean, Filtered: true,
			Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1", Rows: 3}},
		"mean.rows: bad-query: the num": {
			Name: "q", Kind: Mean, Unit: []string{"u"}, Bounds: Bounds{MaxRows: 1},
			Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1", Rows: 3},
		},
		"sum.by[0]: duplicate": {
			Name: "q", Kind: Sum, By: []domain.Dimension{{Column: "component",
				Labels: numbered(2)}}, Value: &quantize.Value{Columns: []string{"x", "y"}, Lo: "0", Hi: "1"},
		},
		"mean.by[0]: duplicate": {
			Name: "q", Kind: Mean, By: []domain.Dimension{{Column: "noisy_centred_sum",
				Labels: numbered(2)}}, Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1"},
		},
		"sum.by: too-many-cells": {
			Name: "q", Kind: Sum, By: []domain.Dimension{{Column: "y",
				Labels: numbered(4096)}}, Value: &quantize.Value{Columns: []string{"x"}, List: true, Length: 1 << 19,
				Lo: "0", Hi: "1"},
		},
	} {
		if _, err := New(s); len(problem.Errors(err)) != 1 || !strings.HasPrefix(err.Error(), "query q: "+field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestValueColumnTypes(t *testing.T) {
	numeric := valued(Sum, quantize.Value{Lo: "0", Hi: "1"})
	lists := valued(Sum, quantize.Value{List: true, Length: 2, Lo: "0", Hi: "1"})
	for _, c := range []struct {
		s    Spec
		kind table.Kind
		ok   bool
	}{
		{numeric, table.Bool, true}, {numeric, table.Int, true}, {numeric, table.Uint, true}, {numeric, table.Float,
			true}, {numeric, table.String, true},
		{numeric, table.Date, false}, {numeric, table.Timestamp, false}, {numeric, table.List, false}, {numeric,
			table.Invalid, false},
		{lists, table.List, true}, {lists, table.Float, false}, {lists, table.Date, false},
	} {
		schema := table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: c.kind}}}}
		_, err := newAdding(summed(t, c.s), schema, nil)
		es := problem.Errors(err)
		if (err == nil) != c.ok || err != nil && (es[0].Code != problem.CodeColumnType || es[0].Field != "sum.column") {
			t.Errorf("%v, list %v: %v", c.kind, c.s.Value.List, err)
		}
	}
	_, err := newAdding(summed(t, numeric), table.Schema{Fields: []table.Field{{Name: "X"}}}, nil)
	if es := problem.Errors(err); len(es) != 1 || es[0].Code != problem.CodeUnknownColumn ||
		es[0].Hint != "did you mean X?" {
		t.Errorf("%v", err)
	}
	counts := Spec{Name: "q", Kind: Count, Unit: []string{"x"}, Bounds: Bounds{MaxRows: 1}}
	if _, err := newAdding(must(t, counts), table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.List}}}},
		nil); err == nil {
		t.Error("a list is a privacy unit")
	}
}

package columnar

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
)

func TestCanonicalTexts(t *testing.T) {
	stamp := func(unit int64, zone string) table.Type {
		return table.Type{Kind: table.Timestamp, Unit: unit, Zone: zone}
	}
	for _, c := range []struct {
		t    table.Type
		word uint64
		want string
	}{
		{table.Type{Kind: table.Int}, negative(7), "-7"},
		{table.Type{Kind: table.Uint}, math.MaxUint64, "18446744073709551615"},
		{table.Type{Kind: table.Float}, math.Float64bits(7), "7"},
		{table.Type{Kind: table.Float}, math.Float64bits(-0.1), "-0.1"},
		{table.Type{Kind: table.Float}, math.Float64bits(1e21), "1000000000000000000000"},
		{table.Type{Kind: table.Bool}, 1, "true"},
		{table.Type{Kind: table.Date}, 0, "1970-01-01"},
		{table.Type{Kind: table.Date}, negative(1), "1969-12-31"},
		{table.Type{Kind: table.Date}, LastDay, "9999-12-31"},
		{table.Type{Kind: table.Date}, LastDay + 1, "day 2932897"},
		{table.Type{Kind: table.Date}, negative(-FirstDay), "0001-01-01"},
		{stamp(1e9, table.Local), 1, "1970-01-01T00:00:01"},
		{stamp(1e6, table.UTC), negative(1), "1969-12-31T23:59:59.999Z"},
		{stamp(1e3, table.UTC), 1500000, "1970-01-01T00:00:01.5Z"},
		{stamp(1e9, table.UTC), math.MaxInt64, "second 9223372036854775807+0"},
	} {
		if got := string(AppendWord(nil, c.word, c.t)); got != c.want {
			t.Errorf("%v: %q, want %q", c.t, got, c.want)
		}
	}
}

func negative(x int64) uint64 { return uint64(-x) }

// Different values of a column have different texts.
func TestCanonicalTextsTellValuesApart(t *testing.T) {
	types := []table.Type{{Kind: table.Int}, {Kind: table.Uint}, {Kind: table.Float}, {Kind: table.Date}}
	for _, unit := range []int64{1, 1e3, 1e6, 1e9} {
		types = append(types, table.Type{Kind: table.Timestamp, Unit: unit, Zone: table.UTC})
	}
	rapid.Check(t, func(rt *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(rt, "type")
		a := rapid.Uint64().Draw(rt, "a")
		b := a ^ 1<<rapid.IntRange(0, 63).Draw(rt, "bit")
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		if typ.Kind == table.Float && (math.IsNaN(x) || math.IsNaN(y)) {
			return
		}
		if s := string(AppendWord(nil, a, typ)); s == string(AppendWord(nil, b, typ)) {
			rt.Fatalf("%v: %x and %x are both %q", typ, a, b, s)
		}
	})
}

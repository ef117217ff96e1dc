package queries

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/table"
)

// A unit is the same whether its file holds integers, whole floats or text.
func TestUnitsAgreeAcrossTypes(t *testing.T) {
	var want []int64
	for _, kind := range []table.Kind{table.Int, table.Uint, table.Float, table.String} {
		tab := &testTable{fields: []table.Field{{Name: "u", Type: table.Type{Kind: kind}},
			{Name: "x", Type: table.Type{Kind: table.Int}}}}
		for i := range int64(400) {
			u := i % 30
			tab.rows = append(tab.rows, []value{{n: u, x: float64(u), s: fmt.Sprint(u)}, {n: i * i % 7}})
		}
		s := spec(7, Bounds{MaxRows: 3, MaxGroups: 2})
		s.FloatUnit = kind == table.Float
		got := exact(t, must(t, s), tab)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", kind, got, want)
		}
	}
}

// A column of floating-point numbers can be a unit only if the job allows it.
func TestFloatsAreUnitsIfTheJobSaysSo(t *testing.T) {
	schema := table.Schema{Fields: []table.Field{{Name: "u", Type: table.Type{Kind: table.Float}},
		{Name: "x", Type: table.Type{Kind: table.Int}}}}
	s := spec(7, Bounds{MaxRows: 3, MaxGroups: 2})
	if _, err := addTogether([]Query{must(t, s)}, schema, nil); err == nil ||
		!strings.Contains(err.Error(), "privacy.float_unit: allow") {
		t.Errorf("floats are units: %v", err)
	}
	s.FloatUnit = true
	if _, err := addTogether([]Query{must(t, s)}, schema, nil); err != nil {
		t.Error(err)
	}
}

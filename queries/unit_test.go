package queries

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
)

// A unit is the same whether its file holds integers, whole floats or text.
func TestUnitsAgreeAcrossTypes(t *testing.T) {
	var want []int64
	for _, kind := range []table.Kind{table.Int, table.Uint, table.Float, table.String} {
		tab := &testTable{fields: []table.Field{{Name: "u", Type: table.Type{Kind: kind}}, {Name: "x", Type: table.Type{Kind: table.Int}}}}
		for i := range int64(400) {
			u := i % 30
			tab.rows = append(tab.rows, []value{{n: u, x: float64(u), s: fmt.Sprint(u)}, {n: i * i % 7}})
		}
		got := exact(t, must(t, spec(7, Bounds{MaxRows: 3, MaxGroups: 2})), tab)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", kind, got, want)
		}
	}
}

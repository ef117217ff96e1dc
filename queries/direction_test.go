package queries

import (
	"reflect"
	"testing"
)

func TestAxes(t *testing.T) {
	grid := &Grid{Lat: "lat", Lon: "lon", South: "0", West: "0", North: "1", East: "1", Rows: 2, Cols: 3}
	by := []Dimension{
		{Column: "sex", Labels: []Label{{"m", []string{"m"}}, {"f", []string{"f"}}}},
		{Column: "age", Edges: []string{"0", "18", "30", "65"}},
		{Column: "t", Part: "day_of_week", Null: Bin},
		{Grid: grid},
		{Grid: grid, As: "other", Other: Bin},
		{Nearest: &Nearest{Lat: "lat", Lon: "lon", Points: []Point{{ID: "here"}}, WithinM: 100, Name: "id"}, Other: Bin},
	}
	want := []Direction{
		{0, 2, false, []string{"m", "f"}}, {1, 3, true, nil}, {2, 8, false, nil}, {3, 2, true, nil}, {3, 3, true, nil}, {4, 7, false, nil},
		{5, 2, false, []string{"here", "other"}},
	}
	for _, s := range []Spec{
		{Name: "h", Kind: Histogram, By: by},
		{Name: "s", Kind: Sum, By: by, Value: &Value{Columns: []string{"x"}, Lo: "0", Hi: "1"}},
	} {
		q, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := Directions(q); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", s.Name, got, want)
		}
	}
	vector, err := New(Spec{Name: "v", Kind: Sum, Value: &Value{Columns: []string{"x", "y"}, Lo: "0", Hi: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := Directions(vector); !reflect.DeepEqual(got, []Direction{{-1, 2, false, nil}}) {
		t.Errorf("a vector: %v", got)
	}
	if got := Directions(nil); got != nil {
		t.Errorf("nothing: %v", got)
	}
}

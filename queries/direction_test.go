package queries

import (
	"reflect"
	"testing"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

func TestAxes(t *testing.T) {
	grid := &domain.Grid{Lat: "lat", Lon: "lon", South: "0", West: "0", North: "1", East: "1", Rows: 2, Cols: 3}
	by := []domain.Dimension{
		{Column: "sex", Labels: []domain.Label{{Name: "m", Members: []string{"m"}}, {Name: "f", Members: []string{"f"}}}},
		{Column: "age", Edges: []string{"0", "18", "30", "65"}},
		{Column: "t", TimeField: "day_of_week", Null: domain.OwnCell},
		{Grid: grid},
		{Grid: grid, As: "other", Other: domain.OwnCell},
		{Nearest: &domain.Nearest{Lat: "lat", Lon: "lon", Points: []domain.Point{{ID: "here"}}, WithinM: 100, Name: "id"},
			Other: domain.OwnCell},
	}
	want := []domain.Direction{
		{By: 0, Size: 2, Ordered: false, IDs: []string{"m", "f"}}, {By: 1, Size: 3, Ordered: true, IDs: nil}, {By: 2, Size: 8,
			Ordered: false, IDs: nil}, {By: 3, Size: 2, Ordered: true, IDs: nil}, {By: 3, Size: 3, Ordered: true, IDs: nil},
		{By: 4, Size: 7, Ordered: false, IDs: nil},
		{By: 5, Size: 2, Ordered: false, IDs: []string{"here", "other"}},
	}
	for _, s := range []Spec{
		{Name: "h", Kind: Histogram, By: by},
		{Name: "s", Kind: Sum, By: by, Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1"}},
	} {
		q, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := Directions(q); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", s.Name, got, want)
		}
	}
	vector, err := New(Spec{Name: "v", Kind: Sum, Value: &quantize.Value{Columns: []string{"x", "y"}, Lo: "0", Hi: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := Directions(vector); !reflect.DeepEqual(got,
		[]domain.Direction{{By: -1, Size: 2, Ordered: false, IDs: nil}}) {
		t.Errorf("a vector: %v", got)
	}
	if got := Directions(nil); got != nil {
		t.Errorf("nothing: %v", got)
	}
}

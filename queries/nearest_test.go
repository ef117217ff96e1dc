package queries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
)

func amongPoints(points []Point, within float64) Dimension {
	return Dimension{Nearest: &Nearest{Lat: "lat", Lon: "lon", Points: points, WithinM: within, Name: "id"}}
}

func TestKeysOfPoints(t *testing.T) {
	d := amongPoints([]Point{{"7", 1, 1}, {"x", 2, 2}}, 5)
	d.Null, d.Other = Bin, Bin
	keys := finish(t, must(t, Spec{Name: "q", Kind: Histogram, By: []Dimension{d}}), make([]float64, 4)).Keys
	if len(keys) != 1 || keys[0].Name != "id" || !slices.Equal(keys[0].Labels.Strings, []string{"7", "x", "null", "other"}) {
		t.Errorf("%+v", keys)
	}
	d.As = "junction"
	if q := must(t, Spec{Name: "q", Kind: Histogram, By: []Dimension{d}}); keyColumns(q.axes)[0].Name != "junction" {
		t.Errorf("%+v", keyColumns(q.axes))
	}
}

func BenchmarkNearest(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	points := make([]Point, 3874)
	for i := range points {
		points[i] = Point{fmt.Sprint(i), 40.7 + 0.18*rng.Float64(), -74.02 + 0.12*rng.Float64()}
	}
	s := Spec{Name: "q", Kind: Histogram, By: []Dimension{amongPoints(points, 150)}}
	batch := &table.Batch{Rows: benchRows, Columns: []table.Column{{Type: table.Type{Kind: table.Float}}, {Type: table.Type{Kind: table.Float}}}}
	for range benchRows {
		batch.Columns[0].Values.Floats = append(batch.Columns[0].Values.Floats, 40.7+0.18*rng.Float64())
		batch.Columns[1].Values.Floats = append(batch.Columns[1].Values.Floats, -74.02+0.12*rng.Float64())
	}
	schema := table.Schema{Fields: []table.Field{{Name: "lat", Type: batch.Columns[0].Type}, {Name: "lon", Type: batch.Columns[1].Type}}}
	q := must(b, s)
	for b.Loop() {
		a, err := q.New(schema, nil)
		if err != nil {
			b.Fatal(err)
		}
		for range 16 {
			if err := a.Add(batch); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*16*benchRows), "ns/row")
}

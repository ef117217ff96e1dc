package queries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

func amongPoints(points []domain.Point, within float64) domain.Dimension {
	return domain.Dimension{Nearest: &domain.Nearest{Lat: "lat", Lon: "lon", Points: points, WithinM: within, Name: "id"}}
}

func TestKeysOfPoints(t *testing.T) {
	d := amongPoints([]domain.Point{{ID: "7", Lat: 1, Lon: 1}, {ID: "x", Lat: 2, Lon: 2}}, 5)
	d.Null, d.Other = domain.OwnCell, domain.OwnCell
	keys := finish(t, must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{d}}), make([]float64, 4)).Keys
	if len(keys) != 1 || keys[0].Name != "id" || !slices.Equal(keys[0].Labels.Strings,
		[]string{"7", "x", "null", "other"}) {
		t.Errorf("%+v", keys)
	}
	d.As = "junction"
	if q := must(t, Spec{Name: "q", Kind: Histogram,
		By: []domain.Dimension{d}}); domain.KeyColumns(q.Axes)[0].Name != "junction" {
		t.Errorf("%+v", domain.KeyColumns(q.Axes))
	}
}

func BenchmarkNearest(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	points := make([]domain.Point, 3874)
	for i := range points {
		points[i] = domain.Point{ID: fmt.Sprint(i), Lat: 40.7 + 0.18*rng.Float64(), Lon: -74.02 + 0.12*rng.Float64()}
	}
	s := Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{amongPoints(points, 150)}}
	batch := &table.Batch{Rows: benchRows, Columns: []table.Column{{Type: table.Type{Kind: table.Float}},
		{Type: table.Type{Kind: table.Float}}}}
	for range benchRows {
		batch.Columns[0].Values.Floats = append(batch.Columns[0].Values.Floats, 40.7+0.18*rng.Float64())
		batch.Columns[1].Values.Floats = append(batch.Columns[1].Values.Floats, -74.02+0.12*rng.Float64())
	}
	schema := table.Schema{Fields: []table.Field{{Name: "lat", Type: batch.Columns[0].Type},
		{Name: "lon", Type: batch.Columns[1].Type}}}
	q := must(b, s)
	for b.Loop() {
		a, err := newAdding(q, schema, nil)
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

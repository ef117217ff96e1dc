package queries

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/domain/domaintest"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
)

func numbers(texts []string) []float64 {
	xs := make([]float64, len(texts))
	for i, x := range texts {
		xs[i], _ = strconv.ParseFloat(x, 64)
	}
	return xs
}

func junctions(t *testing.T) []domain.Point {
	t.Helper()
	file := csvtest.Columns(t, csvtest.Shared(t, "data", "graph", "manhattan_junctions_3874.csv"))
	lat, lon := numbers(file["lat"]), numbers(file["lon"])
	points := make([]domain.Point, len(lat))
	for i, id := range file["junction"] {
		points[i] = domain.Point{ID: id, Lat: lat[i], Lon: lon[i]}
	}
	return points
}

// nearestJunctions finds the nearest point of every place by trying all points at most 400 m further north or east.
func nearestJunctions(points []domain.Point, lat, lon []float64) []int32 {
	cells := make([]int32, len(lat))
	for i := range cells {
		cells[i] = columnar.Dropped
		least := 150.0
		for j, p := range points {
			if math.Abs(p.Lat-lat[i]) > 0.005 || math.Abs(p.Lon-lon[i]) > 0.005 {
				continue
			}
			if d := domaintest.Vincenty(lat[i], lon[i], p.Lat, p.Lon); d < least {
				cells[i], least = int32(j), d
			}
		}
	}
	return cells
}

// Pick-ups and drop-offs of real trips are assigned to the same junctions as by another formula and brute force, read
// as texts or as floats.
func TestTripsFallToTheirJunctions(t *testing.T) {
	owntest.Slow(t)
	points := junctions(t)
	trips := csvtest.Columns(t, csvtest.Shared(t, "data", "taxi", "nyc_2013-01-01_00h_trips.csv.gz"))
	for event, want := range map[string]int{"pickup": 9058, "dropoff": 8579} {
		lat, lon := trips[event+"_latitude"], trips[event+"_longitude"]
		cells := nearestJunctions(points, numbers(lat), numbers(lon))
		q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{amongPoints(points, 150)}})
		for form, b := range map[string]*table.Batch{
			"texts":  tabletest.Batch(tabletest.Strings(lat, nil), tabletest.Strings(lon, nil)),
			"floats": tabletest.Batch(tabletest.Floats(numbers(lat), nil), tabletest.Floats(numbers(lon), nil)),
		} {
			got := placesOf(t, q, b)
			if !slices.Equal(got, cells) {
				t.Errorf("%ss as %s differ", event, form)
			}
			near := 0
			for _, c := range got {
				if c >= 0 {
					near++
				}
			}
			if near != want || len(got) != 10_004 {
				t.Errorf("%d of %d %ss are near a junction, want %d of 10004", near, len(got), event, want)
			}
		}
	}
}

// placesOf returns the cells of rows of columns lat and lon.
func placesOf(t *testing.T, q *kinds.Histogram, b *table.Batch) []int32 {
	t.Helper()
	p := &problem.Problems{}
	s := table.Schema{Fields: []table.Field{{Name: "lat", Type: b.Columns[0].Type},
		{Name: "lon", Type: b.Columns[1].Type}}}
	g := groupingOf(q.Axes, q.BatchColumns(s, p))
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	cells, err := g.OfRows(b)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(cells)
}

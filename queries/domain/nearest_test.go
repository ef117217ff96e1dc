package domain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/queries/domain/domaintest"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/earth"
	"github.com/dprelease/dprelease/queries/problem"
)

// locate returns a locator of the nearest point.
func locate(t *testing.T, points []Point, within float64) locator {
	t.Helper()
	p := &problem.Problems{}
	domain := newNearest(Dimension{Nearest: &Nearest{Lat: "lat", Lon: "lon", Points: points, WithinM: within, Name: "id"}},
		"", p)
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return nearestCells{domain.(pointDomain).coding().Nearest.index, columnar.Dropped}
}

// No point is nearer than the one chosen, and one is chosen iff one is near enough, up to the stated bound.
func TestNearestAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		lat, lon := domaintest.Somewhere(rng)
		spread := math.Pow(10, 1+5*rng.Float64())
		var points []Point
		for i := range rapid.IntRange(1, 200).Draw(rt, "points") {
			p := Point{ID: fmt.Sprint(i)}
			p.Lat, p.Lon = domaintest.Beside(rng, lat, lon, spread*rng.Float64())
			points = append(points, p)
		}
		within := spread * (0.01 + rng.Float64()/2)
		find := locate(t, points, within)
		for range 20 {
			y, x := domaintest.Beside(rng, lat, lon, spread*rng.Float64())
			least := math.Inf(1)
			for _, p := range points {
				least = min(least, domaintest.Vincenty(y, x, p.Lat, p.Lon))
			}
			slack := 2*0.012*least*least*least/(24*earth.MeanRadius*earth.MeanRadius) + 1e-6
			switch got := find.cell(y, x); {
			case got < 0 && least < within-slack, got >= 0 && least > within+slack:
				rt.Fatalf("(%g, %g): point %d, the nearest at %.9f m, within %.9f m", y, x, got, least, within)
			case got >= 0 && domaintest.Vincenty(y, x, points[got].Lat, points[got].Lon) > least+slack:
				rt.Fatalf("(%g, %g): point %d at %.9f m, the nearest at %.9f m", y, x, got,
					domaintest.Vincenty(y, x, points[got].Lat, points[got].Lon), least)
			}
		}
	})
}

// If several points are in one place, the first one counts, however many there are and wherever the tree cuts.
func TestFirstOfEquallyNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		points := make([]Point, 300)
		for i := range points {
			points[i] = Point{ID: fmt.Sprint(i), Lat: float64(rng.IntN(4)), Lon: 10 + float64(rng.IntN(4))}
		}
		find := locate(t, points, 1)
		for i, p := range points {
			want := slices.IndexFunc(points, func(x Point) bool { return x.Lat == p.Lat && x.Lon == p.Lon })
			if got := find.cell(p.Lat, p.Lon); int(got) != want {
				t.Fatalf("point %d: %d, want %d", i, got, want)
			}
		}
	}
}

func TestNearestAcrossTheEdgesOfTheMap(t *testing.T) {
	points := []Point{{"west", 10, -179.999}, {"pole", 90, 0}, {"south", -89.9, 0}, {"equator", 0, 0}}
	for _, c := range []struct {
		lat, lon, within float64
		want             int32
	}{
		// 2e-3 degrees of 109 639.1 m
		{10, 179.999, 219.3, 0}, {10, 179.999, 219.2, -1}, {10, -180, 200, 0}, {10, 180, 200, 0},
		{89.999, 123, 112, 1}, {89.999, 123, 111, -1}, {-90, 77, 12_000, 2}, {0, 0.001, 111.4, 3}, {0, 0.001, 111.3, -1}, {0,
			0, 1e-9, 3},
	} {
		if got := locate(t, points, c.within).cell(c.lat, c.lon); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

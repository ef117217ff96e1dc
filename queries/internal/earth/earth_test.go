package earth

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/queries/domain/domaintest"
)

// Distances keep to the stated bounds, everywhere and in all directions.
func TestDistanceErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	near, far := 0.0, 0.0
	for range 100_000 {
		lat, lon := domaintest.Somewhere(rng)
		lat2, lon2 := domaintest.Beside(rng, lat, lon, math.Pow(10, 6*rng.Float64()))
		a, b := OnEllipsoid(lat, lon), OnEllipsoid(lat2, lon2)
		got, want := Along(math.Sqrt(a.squareTo(&b))), domaintest.Vincenty(lat, lon, lat2, lon2)
		miss := math.Abs(got - want)
		if miss > 0.012*want*want*want/(24*MeanRadius*MeanRadius)+1e-7+1e-10*want {
			t.Fatalf("(%g, %g) to (%g, %g): %.9f m, want %.9f", lat, lon, lat2, lon2, got, want)
		}
		if want <= 50_000 {
			near = max(near, miss)
		} else if want <= 1_000_000 {
			far = max(far, miss)
		}
	}
	t.Logf("largest errors: %.5f m up to 50 km, %.3f m up to 1000 km", near, far)
	if near > 0.002 || far > 13 {
		t.Errorf("errors of %g m and %g m", near, far)
	}
}

// The squares, the tree and a loop over all points give the same answers, bit for bit: with duplicate points, with
// points in rows and columns, whose midpoints are equally near to two or four of them, and for places on the borders of
// squares and at points.
func TestSquaresEqualBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		lat, lon := domaintest.Somewhere(rng)
		spread := math.Pow(10, 1+5*rng.Float64())
		var points []Place
		for len(points) < rapid.IntRange(1, 300).Draw(rt, "points") {
			var p Place
			switch k := rng.IntN(4); {
			case k == 0 && len(points) > 0:
				p = points[rng.IntN(len(points))]
			case k == 1:
				p.Lat, p.Lon = math.Min(math.Max(lat+0.01*float64(rng.IntN(8)), -90),
					90), math.Min(math.Max(lon+0.01*float64(rng.IntN(8)), -180), 180)
			default:
				p.Lat, p.Lon = domaintest.Beside(rng, lat, lon, spread*rng.Float64())
			}
			points = append(points, p)
		}
		within := math.Min(spread*(0.01+rng.Float64()), 1e6)
		find := NewIndex(points, within)
		alone := *find
		alone.squares = nil
		for range 60 {
			y, x := domaintest.Beside(rng, lat, lon, 1.5*spread*rng.Float64())
			switch p := points[rng.IntN(len(points))]; rng.IntN(4) {
			case 0:
				y, x = p.Lat, p.Lon
			case 1:
				y, x = math.Min(p.Lat+0.005, 90), math.Min(p.Lon+0.005, 180)
			case 2:
				if s := find.squares; s != nil {
					y, x = s.south+float64(rng.IntN(int(s.rowsFloat)+1))/s.perLat, s.west+float64(rng.IntN(s.cols+1))/s.perLon
				}
			}
			at, want, least := OnEllipsoid(y, x), int32(Nobody), find.most
			for i := range points {
				p := OnEllipsoid(points[i].Lat, points[i].Lon)
				if square := at.squareTo(&p); square < least || square == least && want < 0 {
					want, least = int32(i), square
				}
			}
			if over := Along(math.Sqrt(least)) - within; want != Nobody && over > 1e-9*within {
				rt.Fatalf("a point within %v m is %v m further away", within, over)
			}
			if got, tree := find.Nearest(y, x), alone.Nearest(y, x); got != want || tree != want {
				rt.Fatalf("(%v, %v), %d points within %v m: squares %d, tree %d, all points %d", y, x, len(points), within, got,
					tree, want)
			}
		}
	})
}

// If a square is far from many points, each of which may be the nearest, it leaves the search to the tree.
func TestSquaresWithManyCandidates(t *testing.T) {
	points := []Place{{Lat: 10, Lon: 10}}
	for i := range 500 {
		points = append(points, Place{Lat: 1 + 1e-6*float64(i%20), Lon: 1 + 1e-6*float64(i/20)})
	}
	find := NewIndex(points, 1e6)
	if find.squares == nil {
		t.Fatal("there are no squares")
	}
	if _, ok := find.squares.nearest(1, 1); ok {
		t.Error("a square compares hundreds of points")
	}
	if got := find.Nearest(1, 1); got != 1 {
		t.Errorf("point %d, want 1", got)
	}
}

// BenchmarkLocate finds places of a city among its points: by the squares, by the tree and by a loop over all points.
func BenchmarkLocate(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	points, places := make([]Place, 3874), make([]Place, 1<<16)
	for i := range points {
		points[i] = Place{Lat: 40.7 + 0.18*rng.Float64(), Lon: -74.02 + 0.12*rng.Float64()}
	}
	for i := range places {
		places[i] = Place{Lat: 40.7 + 0.18*rng.Float64(), Lon: -74.02 + 0.12*rng.Float64()}
	}
	t := newTree(points)
	flat := make([]site, len(points))
	for _, s := range t {
		flat[s.index] = s
	}
	all := func(lat, lon float64) int32 {
		s := search{at: OnEllipsoid(lat, lon), index: -1, square: 150 * 150}
		for i := range flat {
			s.consider(&flat[i])
		}
		return s.index
	}
	for name, find := range map[string]func(lat, lon float64) int32{
		"squares": NewIndex(points, 150).Nearest, "tree": (&Index{t, nil, 150 * 150}).Nearest, "all": all,
	} {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				find(places[i].Lat, places[i].Lon)
				i = (i + 1) % len(places)
			}
		})
	}
}

// Sines are as accurate as package math's.
func TestSines(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 200_000 {
		x := math.Pi * (2*rng.Float64() - 1)
		if i < 100 {
			x = float64(i-50) * (math.Pi / 50)
		}
		sin, cos := sincos(x)
		wantSin, wantCos := math.Sincos(x)
		if math.Abs(sin-wantSin) > 3e-16 || math.Abs(cos-wantCos) > 3e-16 {
			t.Fatalf("sine and cosine of %v: %v, %v, want %v, %v", x, sin, cos, wantSin, wantCos)
		}
	}
}

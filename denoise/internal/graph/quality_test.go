package graph

import (
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

// place is a point in metres.
type place struct{ x, y float64 }

func placeOf(lat, lon float64) place {
	return place{lon * 111320 * math.Cos(40.78*math.Pi/180), lat * 111320}
}

func junctions(t testing.TB) []place {
	table := csvtest.Columns(t, csvtest.Shared(t, "data", "graph", "manhattan_junctions_3874.csv"))
	lat, lon := floats(t, table["lat"]), floats(t, table["lon"])
	out := make([]place, len(lat))
	for i := range out {
		out[i] = placeOf(lat[i], lon[i])
	}
	return out
}

// tripEnds returns the pick-ups and drop-offs with coordinates.
func tripEnds(t testing.TB) (out []place) {
	table := csvtest.Columns(t, csvtest.Shared(t, "data", "taxi", "nyc_2013-01-01_00h_trips.csv.gz"))
	for i := range table["cab_id"] {
		for _, end := range []string{"pickup", "dropoff"} {
			lat, err1 := strconv.ParseFloat(table[end+"_latitude"][i], 64)
			lon, err2 := strconv.ParseFloat(table[end+"_longitude"][i], 64)
			if err1 == nil && err2 == nil {
				out = append(out, placeOf(lat, lon))
			}
		}
	}
	return out
}

// around calls f with the junctions within reach of a place and their squared distances.
func around(at []place, p place, reach float64, f func(i int, d2 float64)) {
	for i, q := range at {
		if dx, dy := p.x-q.x, p.y-q.y; math.Abs(dx) < reach && math.Abs(dy) < reach && dx*dx+dy*dy <= reach*reach {
			f(i, dx*dx+dy*dy)
		}
	}
}

// counts adds each event to its nearest junction within 150 m.
func counts(at, events []place) []float64 {
	out := make([]float64, len(at))
	for _, p := range events {
		nearest, least := -1, math.Inf(1)
		around(at, p, 150, func(i int, d2 float64) {
			if d2 < least {
				nearest, least = i, d2
			}
		})
		if nearest >= 0 {
			out[nearest]++
		}
	}
	return out
}

// densities spreads the mass of each junction by a Gaussian kernel of width h metres.
func densities(at []place, mass []float64, h float64) []float64 {
	out := make([]float64, len(at))
	for j, m := range mass {
		if m == 0 {
			continue
		}
		var sum float64
		around(at, at[j], 5*h, func(_ int, d2 float64) { sum += math.Exp(-d2 / (2 * h * h)) })
		around(at, at[j], 5*h, func(i int, d2 float64) { out[i] += m * math.Exp(-d2/(2*h*h)) / sum })
	}
	return out
}

func scaled(x []float64, f float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f * v
	}
	return out
}

func rmse(x, truth []float64) float64 {
	var sum float64
	for i := range x {
		sum += (x[i] - truth[i]) * (x[i] - truth[i])
	}
	return math.Sqrt(sum / float64(len(x)))
}

// quality is a table of true values, the standard deviation of its noise, and the fractions by which the ensemble's
// error must be below the errors of trend filtering (clipped, λ by SURE) and of the published wavelets.
type quality struct {
	name           string
	truth          []float64
	s              float64
	trend, wavelet float64 // negative if the error may be larger
}

// TestQuality compares mean errors over draws that all methods share. The data are a night hour, which is sparse (5
// events a junction). Three times the counts are like an afternoon, for which the required gains are larger.
func TestQuality(t *testing.T) {
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("minutes long: set DPRELEASE_LONG=1")
	}
	at, g := junctions(t), road(t)
	c := counts(at, tripEnds(t))
	d := densities(at, c, 100)
	wide := densities(at, c, 150)
	for _, q := range []quality{
		{"counts", c, 40.288, 0.03, 0.12}, {"densities", d, 40.288, 0.07, 0.22},
		{"three times the counts", scaled(c, 3), 40.288, 0.07, 0.25},
		{"three times the densities", scaled(d, 3), 40.288, 0.13, 0.35},
		{"counts at epsilon 2", c, 11.152, 0.07, 0.28}, {"counts at epsilon 0.1", c, 181.523, -0.02, -0.1},
		{"densities of 150 m", wide, 40.288, 0.07, 0.25}, {"counts at epsilon 5", c, 4.9, 0.05, 0.4},
		{"counts at epsilon 0.25", c, 77.049, -0.02, -0.05},
	} {
		t.Run(q.name, func(t *testing.T) {
			e := q.errors(t, g)
			t.Logf("trend filter %.3f, wavelets %.3f, level wavelets %.3f, ensemble %.3f: %+.1f %% and %+.1f %%",
				e[0], e[1], e[2], e[3], 100*(e[3]/e[0]-1), 100*(e[3]/e[1]-1))
			if e[3] > (1-q.trend)*e[0] || e[3] > (1-q.wavelet)*e[1] {
				t.Errorf("the ensemble is not %v below trend filtering and %v below wavelets", q.trend, q.wavelet)
			}
		})
	}
}

// errors returns the mean errors of trend filtering, published and level wavelets and the ensemble.
func (q quality) errors(t *testing.T, g *Graph) (e [4]float64) {
	const draws = 20
	y := make([]float64, len(q.truth))
	for draw := range uint64(draws) {
		r := publicStream(99, draw)
		for i := range y {
			y[i] = q.truth[i] + q.s*normal(r)
		}
		trend := must(TrendFilter(t.Context(), g, y, TrendOptions{Penalty: Penalty{Sigma: q.s}}))(t)
		published := must(TreeWavelets(t.Context(), g, y, WaveletOptions{Sigma: q.s, Rule: Universal}))(t)
		levels := must(TreeWavelets(t.Context(), g, y, WaveletOptions{Sigma: q.s, Trees: 40}))(t)
		ensemble := must(TreeEnsemble(t.Context(), g, y, EnsembleOptions{Penalty: Penalty{Sigma: q.s}}))(t)
		for k, x := range [][]float64{trend.Clip().X, published.X, levels.Clip().X, ensemble.X} {
			e[k] += rmse(x, q.truth) / draws
		}
	}
	return e
}

package kinds

import (
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/queries/strategy"
	"pgregory.net/rapid"
)

// rising is the isotonic regression: it does not fall, is nearest among all that do not, and leaves sums alone that do
// not fall.
func TestRisingIsTheNearest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sums := append([]float64{0}, rapid.SliceOfN(rapid.Float64Range(0, 9), 1, 12).Draw(rt, "sums")...)
		got := rising(sums)
		if len(got) != len(sums) || !slices.IsSorted(got) {
			rt.Fatalf("%v of %v", got, sums)
		}
		distance := func(x []float64) (d float64) {
			for i := range x {
				d += (x[i] - sums[i]) * (x[i] - sums[i])
			}
			return d
		}
		other := append([]float64{0}, rapid.SliceOfN(rapid.Float64Range(0, 9), len(sums)-1, len(sums)-1).Draw(rt, "other")...)
		slices.Sort(other)
		if distance(other) < distance(got)-1e-9 {
			rt.Fatalf("%v is nearer to %v than %v", other, sums, got)
		}
		if slices.IsSorted(sums) && distance(got) > 1e-18 {
			rt.Fatalf("%v became %v", sums, got)
		}
	})
}

// At an edge the interval of a quantile has the variance of A - q·N, worked out from the matrix of independent cells:
// each cell below counts 1 - q times, each above -q times. Without noise, within a cell of n rows, it has that of n
// rows which fall anywhere: n·p·(1 - p).
func TestVarianceOfAQuantileIsThatOfTheMatrix(t *testing.T) {
	const cells, variance = 5, 9.0
	d := distribution{mostOfRow: 1, noisy: []float64{0, 10, 30, 70, 80, 100}}
	for j := range cells {
		d.spread.Variance = append(d.spread.Variance, variance*float64(j+1))
	}
	d.spread.WithLast = d.spread.Variance
	half := func(d distribution, j int, part, q float64) float64 {
		return (d.beyond(j, part, q, -1) - d.beyond(j, part, q, 1)) / 2 / outerZ
	}
	for _, q := range []float64{0.1, 0.5, 0.95} {
		for j := range cells + 1 {
			want := 0.0
			for i := range cells {
				weight := -q
				if i < j {
					weight = 1 - q
				}
				want += weight * weight * variance
			}
			if got := half(d, j, 0, q); math.Abs(got-math.Sqrt(want)) > 1e-9 {
				t.Errorf("edge %d, q %g: the deviation is %g, want %g", j, q, got, math.Sqrt(want))
			}
		}
	}
	exact := d
	exact.spread = strategy.Spread{Variance: make([]float64, cells), WithLast: make([]float64, cells)}
	for _, part := range []float64{0, 0.25, 0.5, 0.9} {
		if got, want := half(exact, 2, part, 0.5), math.Sqrt(40*part*(1-part)); math.Abs(got-want) > 1e-9 {
			t.Errorf("part %g of 40 rows: the deviation is %g, want %g", part, got, want)
		}
	}
}

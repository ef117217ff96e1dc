package kinds

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/strategy"
	"pgregory.net/rapid"
)

// rising computes the isotonic regression: its result never falls, is nearest among all such vectors, and equals the
// input if that never falls.
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

// The interval of a quantile has the right standard deviation (see [distribution.quantile]). At an edge it is the
// deviation of A - q·N, where each cell below the edge has the weight 1 - q and each cell above it the weight -q.
// Within a cell of n rows, without noise, it combines the variance n·p·(1 - p) of rows at random places with the
// curve's error.
func TestVarianceOfAQuantileIsThatOfTheMatrix(t *testing.T) {
	const cells, variance = 5, 9.0
	d := distribution{maxOfRow: 1, edges: []float64{0, 1, 2, 3, 4, 5}, noisy: []float64{0, 10, 30, 70, 80, 100}}
	d.widths = relativeWidths(d.edges)
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
		doubt := part * (1 - part) * ((1-part)*(40-80.0/3) + part*(40-16)) * partOfDoubt
		if part > 0 {
			doubt = math.Hypot(doubt, partBesideEmpty*24*24/40)
		}
		if got, want := half(exact, 2, part, 0.5), math.Hypot(math.Sqrt(40*part*(1-part)), doubt); math.Abs(got-want) > 1e-9 {
			t.Errorf("part %g of 40 rows: the deviation is %g, want %g", part, got, want)
		}
	}
}

// Within a cell, cumulative counts follow a curve that never falls. If the density is the same everywhere, the curve is
// exact. If the density falls steeply, its error is at most 0.7 of the error of an even spread, in cells of any widths.
func TestSumsWithinACellFollowADensity(t *testing.T) {
	edges := []float64{1, 2, 5, 10, 20, 50, 100}
	for name, sum := range map[string]func(x float64) float64{
		"even": func(x float64) float64 { return 10 * x }, "falling": func(x float64) float64 { return 1000 * (1 - 1/x) }} {
		d := distribution{edges: edges, widths: relativeWidths(edges), maxOfRow: 1}
		for _, x := range edges {
			d.noisy = append(d.noisy, sum(x))
		}
		for j := range len(edges) - 1 {
			far, farOfEven, last := 0.0, 0.0, 0.0
			for part := 0.05; part < 1; part += 0.05 {
				rows, _ := d.within(d.noisy, j, part)
				if rows < last {
					t.Errorf("%s: the sums fall in the cell at %g", name, edges[j])
				}
				last = rows
				want := sum(edges[j]+part*(edges[j+1]-edges[j])) - d.noisy[j]
				far, farOfEven = max(far, math.Abs(rows-want)), max(farOfEven, math.Abs(part*(d.noisy[j+1]-d.noisy[j])-want))
			}
			if far > 1e-9 && far > 0.7*farOfEven {
				t.Errorf("%s: %g rows off in the cell at %g, %g if it were even", name, far, edges[j], farOfEven)
			}
		}
	}
	d := distribution{edges: edges, widths: relativeWidths(edges), noisy: []float64{0, -5, 0, 20, 20, 900, 880}}
	for j := range len(edges) - 1 {
		for part := 0.0; part <= 1; part += 0.25 {
			if rows, _ := d.within(d.noisy, j, part); math.Abs(rows) > math.Abs(d.noisy[j+1]-d.noisy[j]) {
				t.Errorf("%g rows of a cell of %g", rows, d.noisy[j+1]-d.noisy[j])
			}
		}
	}
}

// Within each cell, the curve of cumulative counts rises from the count at one edge to the count at the next, for any
// counts and widths.
func TestSumsWithinACellNeverFall(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cells := rapid.IntRange(1, 5).Draw(rt, "cells")
		edges, sums := []float64{0}, []float64{0}
		for i := range cells {
			edges = append(edges, edges[i]+rapid.Float64Range(0.1, 10).Draw(rt, "width"))
			sums = append(sums, sums[i]+rapid.Float64Range(0, 100).Draw(rt, "count"))
		}
		d := distribution{edges: edges, widths: relativeWidths(edges)}
		for j := range cells {
			last := 0.0
			for part := 0.0; part <= 1; part += 1.0 / 64 {
				rows, _ := d.within(sums, j, part)
				if rows < last-1e-9 || part == 1 && math.Abs(rows-(sums[j+1]-sums[j])) > 1e-9 {
					rt.Fatalf("cell %d of %v between %v: %g rows at %g, %g before", j, sums, edges, rows, part, last)
				}
				last = rows
			}
		}
	})
}

// Quantiles are computed for edges of any size. If all edges are multiplied by c, so is the quantile, even near the
// largest and smallest float64. Edges that are equal, or of very different sizes, give numbers within the range.
func TestQuantilesBetweenExtremeEdges(t *testing.T) {
	reader := distribution{maxOfRow: 1, noisy: []float64{0, 10, 30, 70, 80}, estimate: []float64{0, 10, 30, 70, 80},
		spread: strategy.Spread{Variance: []float64{1, 2, 3, 4}, WithLast: []float64{1, 2, 3, 4}}}
	plain := []float64{-1.5, -0.5, 0.25, 1, 1.5}
	for _, edges := range [][]float64{plain, scaled(plain, math.Ldexp(1, 1023)), scaled(plain, math.Ldexp(1, -1020)),
		{-math.MaxFloat64, -1, 1, 2, math.MaxFloat64}, {-1e308, -5e-324, 0, 5e-324, 1e308}, {1, 1, 1, 1, 1}} {
		d := reader
		d.edges, d.widths = edges, relativeWidths(edges)
		c := edges[4] / plain[4]
		for _, q := range []float64{0.01, 0.2, 0.5, 0.7, 0.99} {
			got := d.quantile(q)
			if !(edges[0] <= got.low && got.low <= got.estimate && got.estimate <= got.high && got.high <= edges[4]) {
				t.Errorf("%g of %g: %v", q, edges, got)
			}
			of := reader
			of.edges, of.widths = plain, relativeWidths(plain)
			want := of.quantile(q)
			if edges[1] == c*plain[1] && (math.Abs(got.estimate/c-want.estimate) > 1e-12 ||
				math.Abs(got.low/c-want.low) > 1e-12 ||
				math.Abs(got.high/c-want.high) > 1e-12) {
				t.Errorf("%g of %g: %v, want %g times %v", q, edges, got, c, want)
			}
		}
	}
}

func scaled(x []float64, c float64) (out []float64) {
	for _, y := range x {
		out = append(out, c*y)
	}
	return out
}

// If the estimates have no row, quantiles and fractions are NaN, and their intervals reach the end of the range. The
// interval of a fraction is within 0 and 1, even if the noisy number of rows below an edge is negative or above the
// noisy number of all rows.
func TestReadingsStayInTheirRange(t *testing.T) {
	edges := []float64{2, 3, 5}
	d := distribution{edges: edges, widths: relativeWidths(edges), maxOfRow: 1, spread: strategy.Spread{
		Variance: []float64{4, 8}, WithLast: []float64{4, 8}}}
	d.noisy, d.estimate = []float64{0, -9, -4}, []float64{0, 0, 0}
	if got := d.quantile(0.5); !math.IsNaN(got.estimate) || got.low > 3 || got.high != 5 {
		t.Errorf("a quantile of no rows: %v", got)
	}
	if got := d.share(1); !math.IsNaN(got.estimate) || got.low != 0 || got.high != 1 {
		t.Errorf("a share of no rows: %v", got)
	}
	for _, x := range []struct{ below, low, high float64 }{{-9, 0, 0}, {1, 0, 0.04}, {99, 0.96, 1}, {109, 1, 1}} {
		d.noisy = []float64{0, x.below, 100}
		d.estimate = rising(d.noisy)
		if got := d.share(1); got.low < 0 || got.low > x.low || got.high > 1 || got.high < x.high {
			t.Errorf("%g of 100: %v", x.below, got)
		}
	}
}

// If values have a smooth density, at least 93.5 % of the intervals of quantiles contain the exact quantile, even if
// there are thousands of rows and little noise, so that the error of an even spread within cells is visible. Then the
// squared error of estimates is at most 0.6 of the squared error for an even spread. Cells are 0.3 to 0.6 standard
// deviations wide.
func TestQuantilesOfSmoothDensities(t *testing.T) {
	owntest.Slow(t)
	const cells, slack = 16, 6.1 // standard errors: false alarms of 1e-9
	runs := 200
	if os.Getenv("DPRELEASE_LONG") != "" {
		runs = 10_000
	}
	edges := make([]float64, cells+1)
	for i := range edges {
		edges[i] = float64(i)
	}
	r := rand.New(rand.NewPCG(77, 2))
	for _, density := range []struct {
		name string
		draw func() float64
	}{
		{"normal", func() float64 { return 8 + 2.5*r.NormFloat64() }},
		{"exponential", func() float64 { return 2.5 * r.ExpFloat64() }},
		{"log-normal", func() float64 { return math.Exp(1.2 + 0.5*r.NormFloat64()) }},
		{"two peaks", func() float64 {
			if r.IntN(3) == 0 {
				return 4 + 1.5*r.NormFloat64()
			}
			return 11 + 1.5*r.NormFloat64()
		}},
	} {
		for _, rows := range []int{1000, 4000} {
			for _, sigma := range []float64{2, 20} {
				spread := strategy.Spread{}
				for j := range cells {
					spread.Variance = append(spread.Variance, sigma*sigma*float64(j+1))
				}
				spread.WithLast = spread.Variance
				held, squares, squaresOfEven := 0.0, 0.0, 0.0
				quantiles := []float64{0.25, 0.5, 0.75}
				for range runs {
					values, noisy := make([]float64, rows), make([]float64, cells+1)
					for i := range values {
						values[i] = density.draw()
						noisy[min(max(int(values[i]), 0), cells-1)+1]++
					}
					slices.Sort(values)
					for i := range cells {
						noisy[i+1] += noisy[i] + sigma*r.NormFloat64()
					}
					d := distribution{edges: edges, widths: relativeWidths(edges), noisy: noisy,
						estimate: rising(noisy), spread: spread,
						maxOfRow: 1}
					for _, q := range quantiles {
						got, want := d.quantile(q), values[int(q*float64(rows))]
						if got.low <= want && want <= got.high {
							held++
						}
						off, offOfEven := got.estimate-want, evenQuantile(d.estimate, edges, q)-want
						squares += off * off
						squaresOfEven += offOfEven * offOfEven
					}
				}
				n := float64(runs * len(quantiles))
				t.Logf("%-12s %d rows, noise %2.0f: %.4f hold; error %.4f, of an even spread %.4f", density.name, rows, sigma,
					held/n, math.Sqrt(squares/n), math.Sqrt(squaresOfEven/n))
				if held/n < 0.935-slack*math.Sqrt(0.95*0.05/n) {
					t.Errorf("%s, %d rows, noise %g: %.4f of the intervals hold", density.name, rows, sigma, held/n)
				}
				if rows == 4000 && sigma == 2 && squares > 0.6*squaresOfEven {
					t.Errorf("%s: the squared error is %.3f of that of an even spread", density.name, squares/squaresOfEven)
				}
			}
		}
	}
}

// At least 94 % of the intervals of quartiles contain the exact quartile, for edges that are chosen without the values
// (1, 1.2, 1.5, 2, …). The values are spread evenly, up to an edge or past it, or have a smooth density, or lie in one
// cell, or are all equal. For integers the lower end of the interval is rounded down. The tolerance is 6.1 standard
// errors, so the test fails by chance with probability 1e-9.
func TestQuartilesOfAnyValues(t *testing.T) {
	owntest.Slow(t)
	var edges []float64
	for x := 0.01; x < 9e4; x *= 10 {
		for _, digits := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
			edges = append(edges, digits*x)
		}
	}
	edges = append([]float64{0}, append(edges, 1e5)...)
	runs := 200
	if os.Getenv("DPRELEASE_LONG") != "" {
		runs = 10_000
	}
	r := rand.New(rand.NewPCG(78, 2))
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"even to 100", func() float64 { return 100 * r.Float64() }},
		{"even to 55", func() float64 { return 55 * r.Float64() }},
		{"even to 200", func() float64 { return 200 * r.Float64() }},
		{"even to 130", func() float64 { return 130 * r.Float64() }},
		{"even from 20 to 60", func() float64 { return 20 + 40*r.Float64() }},
		{"integers to 9", func() float64 { return float64(r.IntN(10)) }},
		{"integers to 99", func() float64 { return float64(r.IntN(100)) }},
		{"normal", func() float64 { return max(50+20*r.NormFloat64(), 0) }},
		{"log-normal", func() float64 { return math.Exp(4 + 1.5*r.NormFloat64()) }},
		{"exponential", func() float64 { return 30 * r.ExpFloat64() }},
		{"within a cell", func() float64 { return 60 + 2*r.NormFloat64() }},
		{"all the same", func() float64 { return 7 }},
		{"at an edge", func() float64 { return 20 }},
		{"two values", func() float64 { return 3 + 60*float64(r.IntN(3)/2) }},
	} {
		for _, rows := range []int{300, 5000} {
			cells := len(edges) - 1
			const sigma = 4
			spread := strategy.Spread{}
			for j := range cells {
				spread.Variance = append(spread.Variance, sigma*sigma*float64(j+1))
			}
			spread.WithLast = spread.Variance
			var held, width [3]float64
			for range runs {
				values, noisy := make([]float64, rows), make([]float64, cells+1)
				for i := range values {
					values[i] = c.draw()
					at, found := slices.BinarySearch(edges, values[i])
					if found {
						at++
					}
					noisy[min(at, cells)]++
				}
				slices.Sort(values)
				for i := range cells {
					noisy[i+1] += noisy[i] + sigma*r.NormFloat64()
				}
				d := distribution{edges: edges, widths: relativeWidths(edges), noisy: noisy, estimate: rising(noisy),
					spread: spread, maxOfRow: 1}
				for i, q := range []float64{0.25, 0.5, 0.75} {
					got, want := d.quantile(q), values[int(q*float64(rows))]
					width[i] += (got.high - got.low) / float64(runs)
					if strings.HasPrefix(c.name, "integers") {
						got.low = math.Floor(got.low)
					}
					if got.low <= want && want <= got.high {
						held[i] += 1 / float64(runs)
					}
				}
			}
			t.Logf("%-18s %d rows: %.3f hold, of widths %.3g", c.name, rows, held, width)
			if least := min(held[0], held[1], held[2]); least < 0.94-6.1*math.Sqrt(0.95*0.05/float64(runs)) {
				t.Errorf("%s, %d rows: %.3f of the intervals hold", c.name, rows, held)
			}
		}
	}
}

// evenQuantile returns the quantile if rows are spread evenly within cells.
func evenQuantile(sums, edges []float64, q float64) float64 {
	want := q * sums[len(sums)-1]
	j := 1
	for sums[j] < want {
		j++
	}
	return edges[j-1] + (want-sums[j-1])/(sums[j]-sums[j-1])*(edges[j]-edges[j-1])
}

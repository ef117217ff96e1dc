package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
)

// Intervals of rates cover the exact quotients in 95 of 100 releases, per a noisy number and per a public one, also if
// the number to divide by is only a few standard deviations above 0. 10^4 runs of 4.5 standard deviations to each side:
// each of the six comparisons fails by chance once in 150,000 times.
func TestIntervalsOfRatesCover(t *testing.T) {
	const runs, deviation = 10_000, 10
	exact, below := []float64{300, 2, 40}, []float64{1000, 800, 60}
	r := rand.New(rand.NewPCG(3, 5))
	noise := func(x float64) float64 { return x + deviation*r.NormFloat64() }
	for name, variance := range map[string]float64{"per a query": deviation * deviation, "per a file": 0} {
		covered, stated := make([]int, len(exact)), make([]int, len(exact))
		for range runs {
			of := make([]float64, len(exact))
			for i, x := range below {
				if of[i] = x; variance > 0 {
					of[i] = noise(x)
				}
			}
			a := query.Answer{Cells: len(exact),
				Noisy: func(start int, dst []float64) {
					for i := range dst {
						dst[i] = noise(exact[start+i])
					}
				}, Sigma: func(_ int, dst []float64) {
					for i := range dst {
						dst[i] = deviation
					}
				}}
			times := rate{Rate: manifest.Rate{Times: 100}}
			out := times.answer(&a, 0, func(cell int) (float64, float64) { return of[cell], variance }, calibrate.Z95)
			low, high := readAll(out.Low, 3), readAll(out.High, 3)
			for i := range exact {
				want := 100 * exact[i] / below[i]
				if !math.IsNaN(low[i]) {
					stated[i]++
				}
				if low[i] <= want && want <= high[i] {
					covered[i]++
				}
			}
		}
		for i, n := range covered {
			share := float64(n) / float64(stated[i])
			t.Logf("%s, %v of %v: %.4f of %d", name, exact[i], below[i], share, stated[i])
			if share < 0.94 || share > 0.96 || stated[i] < runs*999/1000 {
				t.Errorf("%s, %v of %v: intervals of %d cover %.4f", name, exact[i], below[i], stated[i], share)
			}
		}
	}
}

// A rate that is wider than its limit is empty, and so is a rate whose divisor may be noise alone.
func TestRatesAreWithheld(t *testing.T) {
	constant := func(x float64) query.Series {
		return func(_ int, dst []float64) {
			for i := range dst {
				dst[i] = x
			}
		}
	}
	a := query.Answer{Cells: 3, Noisy: constant(50), Sigma: constant(10)}
	divisors := []float64{100, 15, 1000}
	r := rate{Rate: manifest.Rate{Times: 1, MaxHalfWidth: 0.1}}
	out := r.answer(&a, 0, func(cell int) (float64, float64) { return divisors[cell], 100 }, calibrate.Z95)
	got := readAll(out.Estimate, 3)
	if !math.IsNaN(got[0]) || !math.IsNaN(got[1]) || got[2] != 0.05 {
		t.Errorf("rates %v", got)
	}
	per := rate{Rate: manifest.Rate{Times: 100, MaxHalfWidth: 3}}
	if five := readAll(per.answer(&a, 0, func(int) (float64, float64) { return 1000, 100 }, calibrate.Z95).Estimate, 3); five[0] != 5 {
		t.Errorf("a rate of 5 from 3 to 7 is %v, with a limit of 3 to each side", five[0])
	}
	r.MaxHalfWidth = 0
	got, low := readAll(r.answer(&a, 0, func(cell int) (float64, float64) { return divisors[cell], 100 }, calibrate.Z95).Estimate, 3),
		readAll(r.answer(&a, 0, func(cell int) (float64, float64) { return divisors[cell], 100 }, calibrate.Z95).Low, 3)
	if want, _, _ := kinds.Fieller(50, 100, 100, 100, 0, calibrate.Z95); got[0] != 0.5 || !math.IsNaN(got[1]) || low[0] != want {
		t.Errorf("rates %v from %v", got, low)
	}
}

// Each cell is divided by the cell with the same labels, for any order of the dimensions, and with both ends of an
// interval in one dimension.
func TestPartsOfCells(t *testing.T) {
	strings := func(s ...string) domain.Labels { return domain.Labels{Strings: s} }
	own := []domain.KeyColumn{{Name: "region", Labels: strings("n", "s"), Stride: 6},
		{Name: "age_from", Labels: strings("0", "9", "18"), Stride: 2}, {Name: "age_to", Labels: strings("9", "18", "99"), Stride: 2},
		{Name: "sex", Labels: strings("f", "m"), Stride: 1}}
	part := partOfCell(map[int]int{2: 2, 6: 1}, map[int]int{2: 3, 6: 2}) // by age, then by region
	for cell := range 12 {
		region, age := cell/6, cell/2%3
		if got := part(cell); got != age*2+region {
			t.Errorf("cell %d (%s, %s) is divided by cell %d", cell, own[0].Labels.Strings[region], own[1].Labels.Strings[age], got)
		}
	}
}

// A dimension of one cell has the same stride as its neighbour. Cells are still divided by their own dimension's
// labels.
func TestPartsBesideASingleCell(t *testing.T) {
	const by = "{column: region, values: [n, s]}, {column: age, edges: [0, 30, 75]}, {column: status, values: {on: [a]}}"
	p := planOfStays(t, "1e-6", "row", "", "histogram: {by: ["+by+"]}",
		"histogram: {by: ["+by+"]}, rates: [{name: rate, per: q0}]")
	for cell := range 4 {
		if got := p.queries[1].rates[0].part(cell); got != cell {
			t.Errorf("cell %d is divided by cell %d", cell, got)
		}
	}
}

// With delta 0 the interval of a rate has the tails of both noises, and half a step of either.
func TestRatesOfGeometricNoise(t *testing.T) {
	p := planOfStays(t, "0", "row", "", countsBy(byWard), countsBy(byWard)+", rates: [{name: rate, per: q0, times: 10}]")
	c := p.NewRun()
	constant := func(x float64) query.Series {
		return func(_ int, dst []float64) {
			for i := range dst {
				dst[i] = x
			}
		}
	}
	above, below := query.Answer{Cells: 3, Noisy: constant(300), Sigma: constant(7)}, query.Answer{Cells: 3, Noisy: constant(900),
		Sigma: constant(5)}
	a := c.withRates(1, []Result{{Answer: below}, {Answer: above}})
	z := kinds.HeavyZ95(3)
	half := func(i int) float64 { return c.queries[i].Mechanisms[0].Grid / 2 / z }
	low, high, ok := kinds.Fieller(300, 900, math.Pow(7+half(1), 2), math.Pow(5+half(0), 2), 0, z)
	got := a.Readings[0].Answer
	if from, to := readAll(got.Low, 3), readAll(got.High, 3); !ok || half(0) == 0 || math.Abs(from[2]-10*low) > 1e-9 ||
		math.Abs(to[2]-10*high) > 1e-9 {
		t.Errorf("from %v to %v, want %g to %g", from, to, 10*low, 10*high)
	}
}

// Public numbers to divide by are finite and above 0.
func TestPublicNumbersOfRates(t *testing.T) {
	for text, good := range map[string]bool{"25": true, "1e3": true, "0": false, "-1": false, "NaN": false, "+Inf": false, "": false} {
		job, diags := configs.Parse("job.yaml", fmt.Appendf(nil, sameRowsJob, "1e-6", "row", "", "  - {name: q, "+countsBy(byWard)+
			", rates: [{name: rate, file: people.csv, value: n, on: [ward]}]}"), configs.ParseOptions{CheckStep: CheckStep})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		_, diags = New(job, func(_, column string, _ bool) ([]string, error) {
			return map[string][]string{"ward": {"a", "b", "c"}, "n": {"10", text, "30"}}[column], nil
		})
		if (len(diags) == 0) != good {
			t.Errorf("%q: %v", text, diags)
		}
	}
}

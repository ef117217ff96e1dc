package queries

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// pureNoised makes a vector with geometric noise on a grid of 1, or Laplace noise, of some exact values.
func pureNoised(tb testing.TB, rng *rand.Rand, scale float64, geometric bool, exact []float64) mechanism.Noisy {
	tb.Helper()
	p := calibrate.Pure{Query: "q", Noise: calibrate.Laplace{L1: 1, Scale: scale}, Grid: 1, Geometric: geometric}
	if !geometric {
		p.Grid = math.Ldexp(1, int(math.Floor(math.Log2(scale)))-10)
	}
	m, err := p.Mechanism()
	if err != nil {
		tb.Fatal(err)
	}
	values := make([]float64, len(exact))
	for i, x := range exact {
		z := scale * rng.ExpFloat64()
		if geometric { // the difference of two geometric variables
			values[i] = x + math.Floor(z) - math.Floor(scale*rng.ExpFloat64())
			continue
		}
		if rng.IntN(2) == 0 {
			z = -z
		}
		values[i] = math.Round((x+z)/p.Grid) * p.Grid
	}
	return mechanismtest.Make(tb, m, values)
}

// covering returns the fraction of the intervals that contain the truth.
func covering(a Answer, runs int, truth float64) float64 {
	low, high, covered := fill(a.Low, runs), fill(a.High, runs), 0.0
	for i := range low {
		if low[i] <= truth && truth <= high[i] {
			covered += 1 / float64(runs)
		}
	}
	return covered
}

const (
	coverageRuns = 60_000
	// coverageSlack is 6.1 standard errors of a fraction of 95 % in coverageRuns runs. Chance exceeds it with probability
	// 1e-9.
	coverageSlack = 6.1 * 0.00089
)

// The 95 % interval of a count with geometric noise contains the true count as often as the distribution implies: in at
// least 95 % of the runs and, if the scale is at least 200, in at most 95.3 %.
func TestIntervalsOfGeometricCountsCover(t *testing.T) {
	q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{{Column: "g", Labels: numbered(coverageRuns)}}})
	rng := rand.New(rand.NewPCG(7, 1))
	for _, scale := range []float64{0.4, 1, 5, 200, 1e4} {
		exact := make([]float64, coverageRuns)
		for i := range exact {
			exact[i] = 1000
		}
		n := []mechanism.Noisy{pureNoised(t, rng, scale, true, exact)}
		a, err := q.Finish(t.Context(), n, n)
		if err != nil {
			t.Fatal(err)
		}
		k := n[0].Mechanism().HalfWidth()
		e := math.Exp(-1 / scale)
		want := 1 - 2*math.Pow(e, k+1)/(1+e)
		got := covering(a, coverageRuns, 1000)
		if stated := n[0].Mechanism().Coverage(); math.Abs(stated-want) > 1e-12 {
			t.Errorf("scale %g: the stated coverage is %g, want %g", scale, stated, want)
		}
		if math.Abs(got-want) > coverageSlack || want < 0.95 || scale >= 200 && want > 0.953 {
			t.Errorf("scale %g: covered %g, want %g", scale, got, want)
		}
		if low := fill(a.Low, 1)[0]; low != math.Trunc(low) {
			t.Errorf("scale %g: the interval of integers begins at %v", scale, low)
		}
	}
}

// If a mean has Laplace noise in its sum and geometric noise in its count, its 95 % interval contains the true mean in
// 95 to 95.3 % of the runs, as long as the number of rows is well above its noise. The interval of a sum contains the
// true sum in 95 % of the runs.
func TestIntervalsOfPureMeansCover(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	by := []domain.Dimension{{Column: "g", Labels: numbered(coverageRuns)}}
	value := &quantize.Value{Columns: []string{"x"}, Lo: "10", Hi: "20"}
	mean, sum := summed(t, Spec{Name: "q", Kind: Mean, By: by, Value: value}), summed(t,
		Spec{Name: "q", Kind: Sum, By: by, Value: value})
	rng := rand.New(rand.NewPCG(5, 6))
	for _, rows := range []float64{300, 1e5} {
		for _, at := range []float64{10, 12.5, 15, 18, 20} {
			for _, scaleSum := range []float64{40, 200} {
				sums, counts := make([]float64, coverageRuns), make([]float64, coverageRuns)
				for i := range sums {
					sums[i], counts[i] = rows*(at-15), rows
				}
				components := []mechanism.Noisy{pureNoised(t, rng, scaleSum, false, sums), pureNoised(t, rng, 20, true, counts)}
				a, err := mean.Finish(t.Context(), components, components)
				if err != nil {
					t.Fatal(err)
				}
				if got := covering(a, coverageRuns, at); at > 10 && at < 20 &&
					(got < 0.95-coverageSlack || got > 0.953+coverageSlack) {
					t.Errorf("%g rows, mean %g, scale %g: covered %g", rows, at, scaleSum, got)
				}
				b, err := sum.Finish(t.Context(), components[:1], components[:1])
				if err != nil {
					t.Fatal(err)
				}
				if got := covering(b, coverageRuns, rows*(at-15)); math.Abs(got-0.95) > coverageSlack {
					t.Errorf("%g rows, sum of mean %g, scale %g: covered %g", rows, at, scaleSum, got)
				}
			}
		}
	}
}

// If counts have geometric noise, the intervals of cumulative fractions contain the true fractions in 95 to 95.6 % of
// the runs, and each end of the interval of a quantile is wrong in at most 2.5 %.
func TestReadingsOfPureCountsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	const runs = 20_000
	exact := []float64{4000, 1000, 3000, 500, 1500}
	s := Spec{Name: "q", Kind: Histogram, Read: Read{Quantiles: []string{"0.5"}, CDF: true}, By: []domain.Dimension{
		{Column: "g", Labels: numbered(runs)}, {Column: "x", Edges: []string{"0", "1", "2", "3", "4", "5"}},
	}}
	q := must(t, s)
	rng := rand.New(rand.NewPCG(9, 9))
	all := make([]float64, 0, runs*len(exact))
	for range runs {
		all = append(all, exact...)
	}
	n := []mechanism.Noisy{pureNoised(t, rng, 60, true, all)}
	a, err := q.Finish(t.Context(), n, n)
	if err != nil {
		t.Fatal(err)
	}
	slack := 6.1 * math.Sqrt(0.95*0.05/runs)
	for _, r := range a.Readings {
		low, high := fill(r.Answer.Low, r.Answer.Cells), fill(r.Answer.High, r.Answer.Cells)
		below := 0.0
		for j := range len(exact) {
			if below += exact[j]; r.Name == "quantiles" && j > 0 || r.Name == "cdf" && j == len(exact)-1 {
				break
			}
			truth, rows := below/10_000, len(exact)
			if r.Name == "quantiles" {
				truth, rows = 2, 1 // half of 10,000 rows lie below the edge 2
			}
			covered := 0.0
			for g := range runs {
				if low[g*rows+j] <= truth && truth <= high[g*rows+j] {
					covered += 1.0 / runs
				}
			}
			if covered < 0.95-slack || r.Name == "cdf" && covered > 0.956+slack {
				t.Errorf("%s, %d: covered %g", r.Name, j, covered)
			}
		}
	}
}

package queries

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// noised makes a noisy vector of some exact values.
func noised(tb testing.TB, rng *rand.Rand, sigma float64, exact []float64) mechanism.Noisy {
	tb.Helper()
	values := make([]float64, len(exact))
	for i, x := range exact {
		values[i] = x + sigma*rng.NormFloat64()
	}
	return mechanismtest.Make(tb, calibrate.Mechanism{Sigma: calibrate.Sigma(sigma)}, values)
}

func fill(s Series, n int) []float64 {
	out := make([]float64, n)
	s(0, out)
	return out
}

// The 95 % interval of a mean contains the true mean in 95 % of 10,000 runs, which are the groups of one query. If the
// count is not much larger than its noise, the interval is often the whole range, and contains the mean more often. The
// tolerance is 6.1 standard errors, so the test fails by chance with probability 1e-9.
func TestIntervalsOfMeansCover(t *testing.T) {
	const runs, sigmaSum, sigmaCount = 10_000, 25, 5
	q := summed(t, Spec{Name: "q", Kind: Mean, By: []domain.Dimension{{Column: "g", Labels: numbered(runs)}},
		Value: &quantize.Value{Columns: []string{"x"}, Lo: "10", Hi: "20"}})
	rng := rand.New(rand.NewPCG(5, 6))
	slack := 6.1 * math.Sqrt(0.95*0.05/runs)
	for _, rows := range []float64{1, 3, 10, 20, 50, 1000, 1e6} {
		for _, mean := range []float64{10, 11, 15, 18.25, 20} {
			sums, counts := make([]float64, runs), make([]float64, runs)
			for i := range sums {
				sums[i], counts[i] = rows*(mean-15), rows
			}
			components := []mechanism.Noisy{noised(t, rng, sigmaSum, sums), noised(t, rng, sigmaCount, counts)}
			a, err := q.Finish(t.Context(), components, components)
			if err != nil {
				t.Fatal(err)
			}
			noisy, low, high := fill(a.Noisy, runs), fill(a.Low, runs), fill(a.High, runs)
			covered := 0.0
			for i := range noisy {
				if low[i] <= mean && mean <= high[i] {
					covered += 1.0 / runs
				}
				if low[i] < 10 || high[i] > 20 || noisy[i] < low[i] || noisy[i] > high[i] {
					t.Fatalf("%g in [%g, %g]", noisy[i], low[i], high[i])
				}
			}
			// At an end of the range, an interval that ends there covers the mean.
			exact := rows >= 10*sigmaCount && mean > 10 && mean < 20
			if covered < 0.95-slack || exact && covered > 0.95+slack {
				t.Errorf("%g rows of mean %g: the interval covers %.4f", rows, mean, covered)
			}
		}
	}
}

// The answer of a mean of vectors has a cell for each group and component, with its keys and the noisy sum and count
// from which it was computed. Its series can be read from any cell on.
func TestAnswerOfVectorMeans(t *testing.T) {
	q := summed(t, Spec{Name: "q", Kind: Mean, By: []domain.Dimension{{Column: "g", Labels: numbered(3)}},
		Value: &quantize.Value{Columns: []string{"a", "b"}, Lo: "0", Hi: "8"}})
	sums := mechanismtest.Make(t, calibrate.Mechanism{Sigma: 2}, []float64{10, -10, 20, 0, 3, 4})
	counts := mechanismtest.Make(t, calibrate.Mechanism{Sigma: 1}, []float64{10, 20, -1})
	denoised := mechanismtest.Make(t, calibrate.Mechanism{Sigma: 2}, []float64{0, 0, 0, 0, 1, 2})
	a, err := q.Finish(t.Context(), []mechanism.Noisy{sums, counts}, []mechanism.Noisy{denoised, counts})
	if err != nil || a.Cells != 6 || q.Cells() != 6 {
		t.Fatalf("%+v, %v", a, err)
	}
	if a.Extra[0].Name != "noisy_centred_sum" || a.Extra[1].Name != "noisy_count" || len(a.Extra) != 2 {
		t.Errorf("%+v", a.Extra)
	}
	for cell, want := range []string{
		`g="0" component="a" 5 4 10 10`, `g="0" component="b" 3 4 -10 10`, `g="1" component="a" 5 4 20 20`,
		`g="1" component="b" 4 4 0 20`, `g="2" component="a" NaN NaN 3 -1`, `g="2" component="b" NaN NaN 4 -1`,
	} {
		got := ""
		for _, k := range a.Keys {
			got += k.Name + "=" + labelOf(k, cell) + " "
		}
		one := make([]float64, 1)
		for i, s := range []Series{a.Noisy, a.Estimate, a.Extra[0].Values, a.Extra[1].Values} {
			if s(cell, one); i > 0 {
				got += " "
			}
			got += fmt.Sprint(one[0])
		}
		if got != want {
			t.Errorf("cell %d: %s, want %s", cell, got, want)
		}
	}
	if _, err := q.Finish(t.Context(), []mechanism.Noisy{sums}, []mechanism.Noisy{sums}); err == nil {
		t.Error("one component is accepted")
	}
	if _, err := q.Finish(t.Context(), []mechanism.Noisy{sums, sums}, []mechanism.Noisy{sums, sums}); err == nil {
		t.Error("a count for each component is accepted")
	}
}

func TestAnswersOfSumsAndPublicMeans(t *testing.T) {
	v := quantize.Value{Columns: []string{"x"}, List: true, Length: 2, Lo: "0", Hi: "8"}
	sum := mechanismtest.Make(t, calibrate.Mechanism{Sigma: 2}, []float64{10, -10})
	a, err := summed(t, Spec{Name: "q", Kind: Sum, Value: &v}).Finish(t.Context(), []mechanism.Noisy{sum}, []mechanism.Noisy{sum})
	if err != nil || fill(a.Noisy, 2)[1] != -10 || fill(a.Sigma, 2)[0] != 2 || labelOf(a.Keys[0], 1) != "1" ||
		a.Extra != nil {
		t.Errorf("%+v, %v", a, err)
	}
	v.Rows = 100
	a, err = summed(t, Spec{Name: "q", Kind: Mean, Value: &v}).Finish(t.Context(), []mechanism.Noisy{sum}, []mechanism.Noisy{sum})
	if err != nil {
		t.Fatal(err)
	}
	half := 0.02 * calibrate.Z95
	if n, s := fill(a.Noisy, 2), fill(a.Sigma, 2); math.Abs(n[0]-4.1) > 1e-12 || math.Abs(n[1]-3.9) > 1e-12 ||
		math.Abs(s[0]-0.02) > 1e-12 {
		t.Errorf("%v, sigma %v", n, s)
	}
	if low, high := fill(a.Low, 2), fill(a.High, 2); low[0] > 4.1-half || high[0] < 4.1+half ||
		high[0]-low[0] > 2*half+1e-12 {
		t.Errorf("%v, %v", low, high)
	}
}

//go:build check

package main

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/examples/internal/experimenttest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// The claims on histograms hold. Each comparison allows 6.2 standard errors, so that it fails by chance with
// probability below 1e-9. Besides, the seeds are fixed.
func TestClaims(t *testing.T) {
	owntest.Slow(t)
	dir := experimenttest.Quick(t, histograms().Experiment())
	experimenttest.Figures(t, dir, "fig4_hist", "sweeps")
	results := experimenttest.Results(experimenttest.Table(t, dir, "fig4_hist"))
	t.Run("norm", func(t *testing.T) { checkNorm(t, results) })
	t.Run("orders", func(t *testing.T) { checkOrders(t, results) })
	t.Run("laplace", func(t *testing.T) { checkLaplace(t, results) })
}

// Raw answers are off by d·sigma·sqrt(2/pi), or d·b for Laplace noise; the answer 0 by 1.
func checkNorm(t *testing.T, results experimenttest.Results) {
	factor := map[string]float64{"aGM": math.Sqrt(2 / math.Pi), "cGM": math.Sqrt(2 / math.Pi), "Lap": 1}
	for _, r := range results {
		f, raw := factor[r["mechanism"]]
		if want := f * r.Float("d") * r.Float("sigma_or_b"); raw &&
			math.Abs(r.Float("mean_err")-want) > experimenttest.Alarm*r.Float("std_err") {
			t.Errorf("%v, want %g", r, want)
		}
		if r["mechanism"] == "zero" && math.Abs(r.Float("mean_err")-1) > 1e-9 {
			t.Errorf("%v, want 1", r)
		}
	}
}

// Few cells hold most of the items, so soft thresholding is the best of the papers' estimators from d = 50 on; it alone
// stays bounded as the dimension grows.
func checkOrders(t *testing.T, results experimenttest.Results) {
	for _, d := range []int{50, 100, 1000, 10000} {
		results.Order(t, 0.1, d, "aGM-TH", "aGM-JS", "aGM", "cGM")
		results.Order(t, 0.01, d, "aGM-TH", "aGM-JS", "aGM", "cGM")
	}
	results.Slope(t, "aGM", 0.1, [4]float64{100, 10000, 1, 0.001})
	results.Slope(t, "aGM-TH", 0.1, [4]float64{100, 10000, 0.06, 0.06})
	if mean, _ := results.At(t, 0.1, 10000, "aGM-TH"); mean > 1 {
		t.Errorf("soft thresholding has an error of %g, more than the answer 0", mean)
	}
}

// "Laplace is better at eps = 1 with and without denoising": true without denoising and with James–Stein at moderate d,
// false with soft thresholding from d = 50 at the latest.
func checkLaplace(t *testing.T, results experimenttest.Results) {
	for _, d := range histograms().D {
		results.Order(t, 1, d, "Lap", "aGM", "cGM")
	}
	results.Order(t, 1, 100, "Lap", "aGM-JS")
	results.Order(t, 1, 10, "Lap", "aGM-TH")
	for _, d := range []int{50, 100, 1000, 10000} {
		results.Order(t, 1, d, "aGM-TH", "Lap")
	}
	results.Order(t, 1, 10000, "aGM-JS", "Lap") // and James–Stein if there are many cells
}

// At the reference's points the errors agree.
func TestReference(t *testing.T) {
	owntest.Slow(t)
	golden := experimenttest.Golden(t, "experiments/fig4_hist.csv")
	dir := experimenttest.Quick(t, histograms().Experiment(), "--eps", "0.1", "--reps", "200")
	experimenttest.Results(experimenttest.Table(t, dir, "fig4_hist")).Agree(t, golden)
}

// The shares sum to 1, and the shares are distributed as Dirichlet draws: the expected sum of squares of the shares is
// 1/n + (1 - 1/n)·(1 + 1/d)/2. The false-alarm rate is below 1e-9.
func TestShares(t *testing.T) {
	for _, d := range []int{2, 10, 1000} {
		r := experiment.Random("test", d)
		var m experiment.Moments
		for range 3000 {
			sum, squares := 0.0, 0.0
			for _, x := range shares(r, d) {
				sum, squares = sum+x, squares+x*x
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("shares that sum to %g", sum)
			}
			m.Add(squares)
		}
		n, want := float64(rows), 0.0
		want = 1/n + (1-1/n)*(1+1/float64(d))/2
		if math.Abs(m.Mean-want) > experimenttest.Alarm*m.StdErr() {
			t.Errorf("d = %d: mean sum of squares %g ± %g, want %g", d, m.Mean, m.StdErr(), want)
		}
	}
}

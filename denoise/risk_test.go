package denoise

import (
	"math"
	"math/rand/v2"
	"testing"
)

// z is the two-sided 1e-9 quantile of the normal distribution: each comparison below fails by chance with probability
// about 1e-9 over seeds. The seeds are fixed.
const z = 6.11

// risk simulates the mean of the squared error that estimate makes, with its standard error: each draw takes a truth,
// adds noise of standard deviation s and sums the squared errors over the cells.
func risk(draws int, s float64, truth func(*rand.Rand) []float64, estimate estimator) (mean, standardError float64) {
	r := rand.New(rand.NewPCG(2026, 11))
	var sum, squares float64
	for range draws {
		f := truth(r)
		y := make([]float64, len(f))
		for i := range f {
			y[i] = f[i] + s*r.NormFloat64()
		}
		var loss float64
		for i, v := range estimate(y, s) {
			loss += (v - f[i]) * (v - f[i])
		}
		sum += loss
		squares += loss * loss
	}
	n := float64(draws)
	mean = sum / n
	return mean, math.Sqrt((squares/n - mean*mean) / n)
}

// TestJamesSteinRisk compares with the exact Bayes risk d·s² − (d−2)·s⁴/(w²+s²) of truths drawn from N(0, w²). The
// factor (d−2)²/d² that is in print would give 2.833 instead of 2.5 in the first case.
func TestJamesSteinRisk(t *testing.T) {
	for _, c := range []struct {
		d    int
		w, s float64
	}{{3, 1, 1}, {5, 0, 2}, {10, 2, 3}, {40, 50, 40}} {
		truth := func(r *rand.Rand) []float64 {
			f := make([]float64, c.d)
			for i := range f {
				f[i] = c.w * r.NormFloat64()
			}
			return f
		}
		want := float64(c.d)*c.s*c.s - float64(c.d-2)*math.Pow(c.s, 4)/(c.w*c.w+c.s*c.s)
		got, se := risk(20_000, c.s, truth, all["plain James-Stein"])
		if !(math.Abs(got-want) <= z*se) {
			t.Errorf("d = %d, w = %v, s = %v: risk %.4g ± %.2g, want %.4g", c.d, c.w, c.s, got, se, want)
		}
		if plus, _ := risk(20_000, c.s, truth, all["James-Stein"]); !(plus <= got) {
			t.Errorf("d = %d, w = %v, s = %v: positive part %.4g, above plain %.4g", c.d, c.w, c.s, plus, got)
		}
	}
}

// TestJamesSteinDominates holds far from the origin as well: for a fixed truth the risk is below d·s².
func TestJamesSteinDominates(t *testing.T) {
	fixed := []float64{3, -1, 0, 2, 4, 0, -2, 1}
	got, se := risk(20_000, 1, func(*rand.Rand) []float64 { return fixed }, all["James-Stein"])
	if !(got+z*se < float64(len(fixed))) {
		t.Errorf("risk %.4g ± %.2g, want below %d", got, se, len(fixed))
	}
}

// TestSoftThresholdRisk holds the oracle inequality (Donoho & Johnstone 1994, Theorem 1) on a sparse truth, if it is
// far below the raw error.
func TestSoftThresholdRisk(t *testing.T) {
	const d, s = 500, 2.0
	f := make([]float64, d)
	f[7], f[100], f[499] = 40, -25, 3
	var oracle float64
	for _, v := range f {
		oracle += min(v*v, s*s)
	}
	bound := (2*math.Log(d) + 1) * (s*s + oracle)
	got, se := risk(2_000, s, func(*rand.Rand) []float64 { return f }, all["soft"])
	if !(got-z*se <= bound) || !(got+z*se < 0.2*d*s*s) {
		t.Errorf("risk %.4g ± %.2g, want at most %.4g and a fifth of %.4g", got, se, bound, d*s*s)
	}
}

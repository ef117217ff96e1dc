package selftest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

// The tail probabilities of the quantiles agree with an independent implementation.
func TestThresholdsAgainstOracle(t *testing.T) {
	for _, freedom := range []int{1, 2, 15, 63, 99, 500} {
		for _, level := range []float64{0.5, 1e-3, alarm / maxChecks} {
			x := chiSquareThreshold(freedom, level)
			if got := mathext.GammaIncRegComp(float64(freedom)/2, x/2); !near(got, level, 1e-8) {
				t.Errorf("chi-square, %d degrees: %g leaves %g, want %g", freedom, x, got, level)
			}
		}
	}
	for _, c := range []struct{ k, n int }{{0, 10}, {3, 10}, {7, 10}, {344578, 1_000_000}, {1, 100_000},
		{99_000, 100_000}} {
		for _, level := range []float64{0.025, alarm / 4} {
			p := proportionBound(c.k, c.n, level)
			// P(Bin(n, p) <= k) = 1 − P(Beta(k+1, n−k) <= p) = P(Beta(n−k, k+1) <= 1 − p)
			if got := mathext.RegIncBeta(float64(c.n-c.k), float64(c.k+1), 1-p); !near(got, level, 1e-6) {
				t.Errorf("%d of %d: bound %g leaves %g, want %g", c.k, c.n, p, got, level)
			}
		}
	}
	// Clopper & Pearson's closed form: k = 0 leaves (1 − p)^n.
	if got, want := proportionBound(0, 100_000, alarm/4), -math.Expm1(math.Log(alarm/4)/100_000); !near(got, want, 1e-9) {
		t.Errorf("none of 100,000: %g, want %g", got, want)
	}
	if proportionBound(10, 10, alarm) != 1 {
		t.Error("all: the bound is not 1")
	}
}

func TestNormalQuantile(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		z := rapid.Float64Range(-4, 4).Draw(r, "z")
		if got := normalQuantile(normal(z)); math.Abs(got-z) > 1e-10 {
			r.Fatalf("%g, want %g", got, z)
		}
	})
}

// If no case is an error, the bound on mu depends on n. If all are errors, it is 0.
func TestMuBound(t *testing.T) {
	if got := muBound(0, 0, 1000); !(got > 3 && got < 6) {
		t.Errorf("no errors in 1000: %g", got)
	}
	for _, k := range [][2]int{{1000, 1000}, {1000, 0}, {0, 1000}, {500, 500}} {
		if got := muBound(k[0], k[1], 1000); got != 0 {
			t.Errorf("%v errors of 1000: %g", k, got)
		}
	}
}

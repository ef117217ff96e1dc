package numeric

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
)

// TestBoundaryNeedsNoSolver checks that Boundary finds the same answer if the solver's candidate is useless.
func TestBoundaryNeedsNoSolver(t *testing.T) {
	r := curvetest.NewRand(t)
	for _, guess := range []float64{0, 5e-324, 1e-300, 1, 1e300, math.Inf(1), math.NaN()} {
		eps, delta := math.Pow(10, 6*r.Float64()-4), math.Pow(10, -12*r.Float64())
		want, found := LeastSigma(1, eps, delta)
		if !found {
			t.Fatal("no sigma")
		}
		got, found := Boundary(guess, true, false, func(sigma float64) bool {
			return sigma > 0 && Meets(eps, Quotient{1, sigma}, delta)
		})
		if !found || got != want {
			t.Errorf("from %g: %v, %v; want %v", guess, got, found, want)
		}
	}
	if got, found := Boundary(1, true, true, func(float64) bool { return false }); found {
		t.Errorf("found %g where nothing is", got)
	}
	if got, found := Boundary(1, true, false, func(float64) bool { return true }); !found || got != 0 {
		t.Errorf("where all holds: %g, %v", got, found)
	}
}

// TestSolversConverge checks that the solver for mu converges at random guarantees, so that the slower search is rarely
// needed.
func TestSolversConverge(t *testing.T) {
	r := curvetest.NewRand(t)
	for range 20000 {
		eps, delta := curvetest.RandomEpsilon(r), curvetest.RandomDelta(r)
		if _, converged := solveMu(eps, delta); !converged {
			t.Errorf("eps = %g, delta = %g: not solved for mu", eps, delta)
		}
	}
}

// TestExtendedPrecisionDecidesAtTheBoundary checks that double-double arithmetic does not decide at the exact boundary,
// and that extended precision does.
func TestExtendedPrecisionDecidesAtTheBoundary(t *testing.T) {
	const eps, delta = 1.0, 1e-6
	mu, converged := solveMu(eps, delta)
	if !converged {
		t.Fatal("not solved")
	}
	near := mu
	for range 4 {
		excess := bigDelta(BigOf(eps), near.big())
		excess.Sub(excess, BigOf(delta))
		gap, _ := excess.Float64()
		p := curve(wideOf(eps), near)
		near = near.widen(-gap / (p.slope * delta))
	}
	if c := curve(wideOf(eps), near).compare(delta); c != 0 {
		t.Errorf("double-double claims to decide at the boundary: %d", c)
	}
	less, more := near.widen(-0x1p-90).big(), near.widen(0x1p-90).big()
	if !BigMeets(eps, less, delta) || BigMeets(eps, more, delta) {
		t.Error("extended precision does not separate mu·(1 ± 2^-90)")
	}
}

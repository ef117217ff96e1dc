package special_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/dprelease/dprelease/internal/special"
)

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-11*want+1e-300 }

// The incomplete gamma function is gonum's.
func TestGamma(t *testing.T) {
	for _, a := range []float64{0.5, 1, 5, 50, 500, 2500} {
		for _, f := range []float64{0, 0.01, 0.5, 0.9, 1, 1.1, 1.5, 3} {
			tail, share := special.GammaTail(a, a*f), special.GammaShare(a, a*f)
			up, low := mathext.GammaIncRegComp(a, a*f), mathext.GammaIncReg(a, a*f)
			if !near(tail, up) || !near(share, low) {
				t.Errorf("a = %g, x = %g: %g and %g, want %g and %g", a, a*f, tail, share, up, low)
			}
		}
	}
}

// The incomplete beta function is gonum's.
func TestBeta(t *testing.T) {
	for _, a := range []float64{0.5, 1, 7, 300} {
		for _, b := range []float64{0.5, 2, 40, 5000} {
			for _, x := range []float64{0, 1e-6, 0.01, 0.1, 0.5, 0.9, 1} {
				if got, want := special.BetaShare(a, b, x), mathext.RegIncBeta(a, b, x); !near(got, want) {
					t.Errorf("a = %g, b = %g, x = %g: %g, want %g", a, b, x, got, want)
				}
			}
		}
	}
}

package calibrate

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestLaplaceCurveIsItsDefinition compares the curve with its definition: the integral over the region in which the
// densities differ by more than a factor of e^eps. Epsilon undoes Delta.
func TestLaplaceCurveIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Laplace{L1: rapid.Float64Range(0.1, 10).Draw(t, "l1"), Scale: rapid.Float64Range(0.1, 10).Draw(t, "scale")}
		eps := rapid.Float64Range(0, 20).Draw(t, "eps")
		got, err := l.Delta(Epsilon(eps))
		if err != nil {
			t.Fatal(err)
		}
		// The losses above eps belong to z < edge: Pr[Z < edge] - e^eps·Pr[Z < edge - L1].
		edge, want := (l.L1-eps*l.Scale)/2, 0.0
		if edge > 0 {
			want = 1 - math.Exp(-edge/l.Scale)/2 - math.Exp(eps+(edge-l.L1)/l.Scale)/2
		}
		if math.Abs(float64(got)-want) > 1e-12 {
			t.Fatalf("%+v at %g: %v, want %v", l, eps, got, want)
		}
		if back, err := l.Epsilon(got); got < 1 && err != nil || got < 0.99 && got > 1e-3 &&
			math.Abs(float64(back)-eps) > 1e-12*(1+eps) {
			t.Fatalf("%+v: epsilon at %v is %v, %v, not %v", l, got, back, err, eps)
		}
	})
}

// TestLaplaceScaleIsLeast checks that the scale meets its guarantee, and that a scale that is smaller by 1e-12 does
// not.
func TestLaplaceScaleIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Guarantee{Epsilon(rapid.Float64Range(0, 10).Draw(t, "eps")),
			Delta(rapid.SampledFrom([]float64{0, 1e-9, 0.01, 0.9}).Draw(t, "delta"))}
		scale, err := LaplaceScale(3, g)
		if err != nil {
			if g.Epsilon > 1e-300 || g.Delta > 0 {
				t.Fatal(err)
			}
			return
		}
		if d, err := (Laplace{3, scale}).Delta(g.Epsilon); err != nil || d > g.Delta {
			t.Fatalf("%v: scale %v has delta %v, %v", g, scale, d, err)
		}
		if d, err := (Laplace{3, scale * (1 - 1e-12)}).Delta(g.Epsilon); err != nil || d < g.Delta {
			t.Fatalf("%v: less than scale %v has delta %v, %v", g, scale, d, err)
		}
	})
}

// TestLaplaceAnswersOrNamesAnArgument checks that no function panics, or returns NaN, infinity or a negative number
// without an error.
func TestLaplaceAnswersOrNamesAnArgument(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), -1, 0, 5e-324, 1e-300, 0.5, 1, 1e6, 1e308}
	check := func(name string, x float64, err error) {
		t.Helper()
		if err == nil && (math.IsNaN(x) || math.IsInf(x, 0) || x < 0) || err != nil && !errors.As(err, new(*ArgumentError)) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	for _, x := range odd {
		for _, y := range odd {
			for _, z := range odd {
				scale, err := LaplaceScale(x, Guarantee{Epsilon(y), Delta(z)})
				check("laplace scale", scale, err)
				d, err := Laplace{x, y}.Delta(Epsilon(z))
				check("laplace delta", float64(d), err)
				e, err := Laplace{x, y}.Epsilon(Delta(z))
				check("laplace epsilon", float64(e), err)
			}
		}
	}
}

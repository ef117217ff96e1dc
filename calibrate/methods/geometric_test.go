package methods

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
)

// TestGeometricCurveIsItsDefinition compares the curve with the definition, summed over integers.
func TestGeometricCurveIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Geometric{L1: rapid.Int64Range(1, 12).Draw(t, "l1"), Scale: rapid.Float64Range(0.1, 10).Draw(t, "scale")}
		eps := rapid.OneOf(rapid.Float64Range(0, 20), rapid.Map(rapid.IntRange(0, 12),
			func(k int) float64 { return float64(k) / g.Scale })).Draw(t, "eps")
		got, err := g.Delta(calibrate.Epsilon(eps))
		if err != nil {
			t.Fatal(err)
		}
		q := math.Exp(-1 / g.Scale)
		mass := func(z int64) float64 { return (1 - q) / (1 + q) * math.Exp(-math.Abs(float64(z))/g.Scale) }
		want := 0.0
		for z := int64(-500); z <= 500; z++ {
			want += math.Max(0, mass(z)-math.Exp(eps)*mass(z-g.L1))
		}
		if math.Abs(float64(got)-want) > 1e-11 || float64(got) < want*(1-1e-9)-1e-15 {
			t.Fatalf("%+v at %g: %v, want %v", g, eps, got, want)
		}
	})
}

// TestGeometricScaleIsLeast checks that the scale meets the guarantee, and that the float64 below it does not.
func TestGeometricScaleIsLeast(t *testing.T) {
	for _, g := range []calibrate.Guarantee{{Epsilon: 1, Delta: 0}, {Epsilon: 1, Delta: 1e-6},
		{Epsilon: 0.01, Delta: 1e-3}, {Epsilon: 10, Delta: 1e-10}, {Epsilon: 0, Delta: 0.5}, {Epsilon: calibrate.MaxEpsilon,
			Delta: 0.1}} {
		for _, l1 := range []int64{1, 7, 1 << 53} {
			scale, err := GeometricScale(l1, g)
			if err != nil {
				t.Fatal(err)
			}
			if d, err := (Geometric{l1, scale}).Delta(g.Epsilon); err != nil || d > g.Delta {
				t.Errorf("%v, %d: scale %v has delta %v, %v", g, l1, scale, d, err)
			}
			if d, err := (Geometric{l1, math.Nextafter(scale, 0)}).Delta(g.Epsilon); err != nil || d <= g.Delta {
				t.Errorf("%v, %d: less than scale %v has delta %v, %v", g, l1, scale, d, err)
			}
		}
	}
}

// TestGeometricAnswersOrNamesAnArgument checks that no function panics, or returns NaN, infinity or a negative number
// without an error.
func TestGeometricAnswersOrNamesAnArgument(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	odd := []float64{math.NaN(), math.Inf(1), -1, 0, 5e-324, 1e-300, 0.5, 1, 1e6, 1e308}
	check := func(name string, x float64, err error) {
		t.Helper()
		if err == nil && (math.IsNaN(x) || math.IsInf(x, 0) || x < 0) || err != nil &&
			!errors.As(err, new(*calibrate.ArgumentError)) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	for _, x := range odd {
		for _, y := range odd {
			for _, n := range []int64{math.MinInt64, 0, 1, 1 << 53, math.MaxInt64} {
				d, err := Geometric{n, x}.Delta(calibrate.Epsilon(y))
				check("geometric delta", float64(d), err)
				s, err := GeometricScale(n, calibrate.Guarantee{Epsilon: calibrate.Epsilon(x), Delta: calibrate.Delta(y)})
				check("geometric scale", s, err)
			}
		}
	}
}

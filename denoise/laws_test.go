package denoise

import (
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"pgregory.net/rapid"
)

// finite draws vectors with all sizes of float64, extremes included.
func finite() *rapid.Generator[[]float64] {
	extreme := rapid.SampledFrom([]float64{
		0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, 1e154, -1e154, 1e-154,
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0.5, 1.5, -2.5,
	})
	return rapid.SliceOfN(rapid.OneOf(rapid.Float64(), extreme), 0, 12)
}

// moderate draws vectors whose squares, and their multiples by a small power of two, are normal numbers.
func moderate() *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6).Filter(func(v float64) bool {
		return v == 0 || math.Abs(v) > 1e-6
	}), 0, 30)
}

func positive() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64Range(1e-3, 1e3), rapid.SampledFrom([]float64{
		math.SmallestNonzeroFloat64, 1e-300, 1e-160, 1e160, 1e300, math.MaxFloat64,
	}))
}

// estimator maps noisy values with noise of standard deviation s to estimates, in a new slice.
type estimator func(y []float64, s float64) []float64

// all are the estimators by name.
var all = map[string]estimator{
	"Lindley":          func(y []float64, s float64) []float64 { return Lindley(y, s, true).X },
	"plain Lindley":    func(y []float64, s float64) []float64 { return Lindley(y, s, false).X },
	"James-Stein to s": func(y []float64, s float64) []float64 { return JamesSteinTo(y, s, s, true).X },
	"Bayes":            func(y []float64, s float64) []float64 { return Bayes(y, s, s, min(s, 1e100)*min(s, 1e100)).X },
	"Bayes to mean":    func(y []float64, s float64) []float64 { return BayesMean(y, s, min(s, 1e100)*min(s, 1e100)).X },
	"hard":             func(y []float64, s float64) []float64 { return HardThreshold(y, UniversalThreshold(len(y), s)) },
	"hard by SURE":     func(y []float64, s float64) []float64 { return HardThreshold(y, HardSUREThreshold(y, s)) },
	"soft by SURE":     func(y []float64, s float64) []float64 { return SoftThreshold(y, SUREThreshold(y, s)) },
	"empirical Bayes":  func(y []float64, s float64) []float64 { return EmpiricalBayes(y, s, false).X },
	"with a floor":     func(y []float64, s float64) []float64 { return EmpiricalBayes(y, s, true).X },
	"total":            func(y []float64, s float64) []float64 { return Total(y, s, false).X },
	"simplex":          func(y []float64, s float64) []float64 { return Total(y, s, true).X },
	"Haar":             haarOf(Wavelet{Rule: Universal}),
	"Haar by level":    haarOf(Wavelet{Rule: Level}),
	"invariant Haar":   haarOf(Wavelet{Rule: SURERule, Invariant: true}),
	"invariant level":  haarOf(Wavelet{Rule: Level, Invariant: true}),
	"isotonic":         first(func(y []float64, _ float64) (Fit, error) { return Isotonic(y, Line(len(y)), false) }),
	"variation":        first(func(y []float64, s float64) (Fit, error) { return TotalVariation(y, Line(len(y)), s) }),
	"variation by SURE": first(func(y []float64, s float64) (Fit, error) {
		f, _, err := TotalVariationSURE(y, s, Line(len(y)))
		return f, err
	}),
	"consistent": first(func(y []float64, s float64) (Fit, error) {
		x, _, err := Consistent(y, s, Line(len(y)), []Margin{{Values: []float64{s}, Deviation: s}})
		return Fit{X: x}, err
	}),
	"plain James-Stein": func(y []float64, s float64) []float64 { return JamesStein(y, s, false) },
	"James-Stein":       func(y []float64, s float64) []float64 { return JamesStein(y, s, true) },
	"soft":              func(y []float64, s float64) []float64 { return SoftThreshold(y, UniversalThreshold(len(y), s)) },
	"nonnegative":       func(y []float64, _ float64) []float64 { return Nonnegative(y) },
	"round":             func(y []float64, _ float64) []float64 { return Round(y) },
}

// first makes an estimator of a function that cannot fail on a line; without cells, it returns none.
func first(fit func([]float64, float64) (Fit, error)) estimator {
	return func(y []float64, s float64) []float64 {
		if len(y) == 0 {
			return []float64{}
		}
		f, err := fit(y, s)
		if err != nil {
			return nil
		}
		return f.X
	}
}

func haarOf(w Wavelet) estimator {
	return first(func(y []float64, s float64) (Fit, error) { return Haar(y, s, Line(len(y)), w) })
}

func TestEveryEstimatorIsFiniteAndPure(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	rapid.Check(t, func(t *rapid.T) {
		y, s := finite().Draw(t, "y"), positive().Draw(t, "s")
		before := slices.Clone(y)
		for name, estimate := range all {
			got := estimate(y, s)
			if len(got) != len(y) {
				t.Fatalf("%s: %d values of %d", name, len(got), len(y))
			}
			for i, v := range got {
				if math.IsNaN(v) || math.IsInf(v, 0) || (v == 0 && math.Signbit(v)) {
					t.Fatalf("%s: value %d is %v", name, i, v)
				}
			}
			if !slices.Equal(got, estimate(y, s)) {
				t.Fatalf("%s: a second call differs", name)
			}
		}
		if !slices.Equal(y, before) {
			t.Fatal("the noisy values were changed")
		}
	})
}

// A power of two changes exponents alone, so equivariance must hold to the bit.
func TestScaleEquivariance(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	rapid.Check(t, func(t *rapid.T) {
		y, s := moderate().Draw(t, "y"), rapid.Float64Range(1e-3, 1e3).Draw(t, "s")
		c := math.Ldexp(1, rapid.IntRange(-20, 20).Draw(t, "exponent"))
		for name, estimate := range all {
			if name == "round" {
				continue
			}
			if got, want := estimate(scale(y, c), c*s), scale(estimate(y, s), c); !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", name, got, want)
			}
		}
	})
}

func TestShrinkersNeverGrowOrFlip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y, s := finite().Draw(t, "y"), positive().Draw(t, "s")
		for _, name := range []string{"James-Stein", "soft", "soft by SURE", "hard", "hard by SURE"} {
			for i, v := range all[name](y, s) {
				if v*math.Copysign(1, y[i]) < 0 || math.Abs(v) > math.Abs(y[i]) {
					t.Fatalf("%s: %v became %v", name, y[i], v)
				}
			}
		}
	})
}

func TestProjectionsAreIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := finite().Draw(t, "y")
		for name, project := range map[string]func([]float64) []float64{"nonnegative": Nonnegative, "round": Round} {
			once := project(y)
			if !slices.Equal(project(once), once) {
				t.Fatalf("%s: the second time changes %v", name, once)
			}
		}
	})
}

func TestJamesSteinOnTheEdge(t *testing.T) {
	for _, y := range [][]float64{{}, {0.1}, {0.1, -0.2}} {
		if got := JamesStein(y, 100, false); !slices.Equal(got, y) {
			t.Errorf("%v became %v", y, got)
		}
	}
	if got := JamesStein(make([]float64, 3), 100, false); !slices.Equal(got, make([]float64, 3)) {
		t.Errorf("three zeros became %v", got)
	}
	if got := JamesStein([]float64{0.1, -0.2, 0.3}, 100, true); !slices.Equal(got, []float64{0, 0, 0}) {
		t.Errorf("three cells of noise became %v, want zeros", got)
	}
}

func TestSmallCases(t *testing.T) {
	y := []float64{-3, -0.5, 0, 0.5, 1.5, 2.5}
	for _, c := range []struct {
		name      string
		got, want []float64
	}{
		{"nonnegative", Nonnegative(y), []float64{0, 0, 0, 0.5, 1.5, 2.5}},
		{"round", Round(y), []float64{-3, 0, 0, 0, 2, 2}},
		{"soft", SoftThreshold(y, 1), []float64{-2, 0, 0, 0, 0.5, 1.5}},
		{"soft at 0", SoftThreshold(y, 0), y},
		{"threshold of one cell", []float64{UniversalThreshold(1, 5)}, []float64{0}},
		{"threshold of none", []float64{UniversalThreshold(0, 5)}, []float64{0}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

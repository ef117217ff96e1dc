package calibrate

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func goldenPart(t *testing.T, row map[string]string) Part {
	t.Helper()
	k, err := strconv.Atoi(row["k"])
	if err != nil {
		t.Fatal(err)
	}
	return Part{Guarantee{Epsilon(nearest(t, row["eps"])), Delta(nearest(t, row["delta"]))}, k}
}

// TestGoldenAdvanced: Theorems 3.4 and 3.5, each of their three terms.
func TestGoldenAdvanced(t *testing.T) {
	for _, row := range golden(t, "composition.csv") {
		if row["kind"] != "thm3.4" && row["kind"] != "thm3.5" {
			continue
		}
		var parts []Part
		if row["kind"] == "thm3.4" {
			parts = []Part{goldenPart(t, row)}
		} else {
			eps, delta := strings.Split(row["eps"], "|"), strings.Split(row["delta"], "|")
			for i := range eps {
				parts = append(parts, Part{Guarantee{Epsilon(nearest(t, eps[i])), Delta(nearest(t, delta[i]))}, 1})
			}
		}
		a, err := ComposeAdvanced(parts, Delta(nearest(t, row["i_or_dtilde"])))
		what := row["kind"] + " " + row["eps"] + ", " + row["delta"]
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		within(t, what, float64(a.Guarantee.Epsilon), precise(t, row["eps_out"]), 4e-16)
		within(t, what, float64(a.Guarantee.Delta), precise(t, row["delta_out"]), 4e-16)
		for i, term := range strings.Split(strings.TrimPrefix(row["note"], "terms="), "|") {
			within(t, what+" term", float64(a.Terms[i]), precise(t, term), 4e-16)
		}
	}
}

// TestGoldenGaussianComposition: Gaussian mechanisms compose exactly.
func TestGoldenGaussianComposition(t *testing.T) {
	for sigmas, want := range map[string]string{"1 2 3": "7.32567623534622798439697670886", strings.Repeat("10 ", 100): "6.17393504667090794080943142263"} {
		var ms []Mechanism
		for _, s := range strings.Fields(sigmas) {
			ms = append(ms, Mechanism{Sens: Sensitivity{L2: 1}, Sigma: Sigma(nearest(t, s))})
		}
		g, err := Compose(ms, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		within(t, sigmas, float64(g.Epsilon), precise(t, want), 1e-14)
	}
}

func drawPart(t *rapid.T) Part {
	eps := rapid.OneOf(rapid.Float64Range(0, 3), rapid.SampledFrom([]float64{0, 5e-324, 1e-200, 1e-9, 40, 900})).Draw(t, "epsilon")
	delta := rapid.OneOf(rapid.Float64Range(1e-12, 0.5), rapid.SampledFrom([]float64{0, MinDelta, 1 - 0x1p-53})).Draw(t, "delta")
	return Part{Guarantee{Epsilon(eps), Delta(delta)}, rapid.IntRange(1, 40).Draw(t, "times")}
}

// TestHomogeneousLaws: Epsilon undoes Delta on the safe side and tightly, and the exact curve is below every other bound.
func TestHomogeneousLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPart(t)
		target := rapid.Float64Range(1e-15, 0.999).Draw(t, "target")
		basic, err := ComposeBasic([]Part{p})
		if err != nil {
			t.Fatal(err)
		}
		if at, err := p.Delta(basic.Epsilon); err != nil || float64(at) > float64(basic.Delta)*(1+5e-16) {
			t.Fatalf("delta at the sum of epsilon is %v, %v, above the sum of delta, %v", at, err, basic.Delta)
		}
		if slack := Delta(target); slack > 0 {
			if a, err := ComposeAdvanced([]Part{p}, slack); err != nil {
				t.Fatal(err)
			} else if at, err := p.Delta(a.Guarantee.Epsilon); err != nil || float64(at) > float64(a.Guarantee.Delta)*(1+5e-16) {
				t.Fatalf("exact delta %v, %v is above Theorem 3.4's %v", at, err, a)
			}
		}
		eps, err := p.Epsilon(Delta(target))
		if err != nil {
			if own, _ := p.Delta(math.MaxFloat64); float64(own) <= target {
				t.Fatalf("no epsilon at %g, though the parts' deltas are %g together: %v", target, float64(own), err)
			}
			return
		}
		if at, err := p.Delta(eps); err != nil || float64(at) > math.Nextafter(target, 1) {
			t.Fatalf("delta(%g) = %g, %v, above %g", float64(eps), float64(at), err, target)
		}
		if eps > 1e-6 {
			if at, _ := p.Delta(eps * (1 - 1e-9)); float64(at) <= target*(1-1e-6) {
				t.Fatalf("epsilon = %g is not the least: at less, delta = %g, target %g", float64(eps), float64(at), target)
			}
		}
	})
}

// TestPartArguments: what has no answer names the argument.
func TestPartArguments(t *testing.T) {
	nan := math.NaN()
	for _, p := range []Part{
		{}, {Guarantee{1, 1e-6}, 0}, {Guarantee{1, 1e-6}, maxTimes + 1}, {Guarantee{Epsilon(nan), 0}, 1}, {Guarantee{1, 1}, 1},
		{Guarantee{1, Delta(nan)}, 1}, {Guarantee{1e6, 0}, 1000}, {Guarantee{-1, 0}, 1}, {Guarantee{1, -1}, 1},
	} {
		var want *ArgumentError
		if _, err := ComposeBasic([]Part{p}); !errors.As(err, &want) {
			t.Errorf("basic %v: %v", p, err)
		}
		if _, err := ComposeAdvanced([]Part{p}, 0.1); !errors.As(err, &want) {
			t.Errorf("advanced %v: %v", p, err)
		}
		if _, err := p.Corners(); !errors.As(err, &want) {
			t.Errorf("corners %v: %v", p, err)
		}
		if _, err := p.Delta(1); !errors.As(err, &want) {
			t.Errorf("delta %v: %v", p, err)
		}
		if _, err := p.Epsilon(0.1); !errors.As(err, &want) {
			t.Errorf("epsilon %v: %v", p, err)
		}
	}
	p := Part{Guarantee{1, 1e-3}, 10}
	for _, d := range []float64{nan, 0, -1, 1, 1e-3, math.Inf(1)} {
		if eps, err := p.Epsilon(Delta(d)); err == nil {
			t.Errorf("epsilon at %g = %v", d, eps)
		}
		if _, err := ComposeAdvanced([]Part{p}, Delta(d)); err == nil && d != 1e-3 {
			t.Errorf("slack %g is taken", d)
		}
	}
	for _, e := range []float64{nan, -1, math.Inf(1)} {
		if _, err := p.Delta(Epsilon(e)); err == nil {
			t.Errorf("delta at %g", e)
		}
	}
	if _, err := ComposeBasic(nil); err == nil {
		t.Error("no parts")
	}
}

package methods

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
)

func goldenPart(t *testing.T, row map[string]string) Part {
	t.Helper()
	k, err := strconv.Atoi(row["k"])
	if err != nil {
		t.Fatal(err)
	}
	return Part{calibrate.Guarantee{Epsilon: calibrate.Epsilon(curvetest.Nearest(t, row["eps"])),
		Delta: calibrate.Delta(curvetest.Nearest(t, row["delta"]))}, k}
}

// TestAdvancedCompositionAgreesWithReference compares Theorems 3.4 and 3.5, with each of their three terms, with
// reference values.
func TestAdvancedCompositionAgreesWithReference(t *testing.T) {
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
				parts = append(parts, Part{calibrate.Guarantee{Epsilon: calibrate.Epsilon(curvetest.Nearest(t, eps[i])),
					Delta: calibrate.Delta(curvetest.Nearest(t, delta[i]))}, 1})
			}
		}
		a, err := ComposeAdvanced(parts, calibrate.Delta(curvetest.Nearest(t, row["i_or_dtilde"])))
		what := row["kind"] + " " + row["eps"] + ", " + row["delta"]
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		curvetest.Within(t, what, float64(a.Guarantee.Epsilon), curvetest.Precise(t, row["eps_out"]), 4e-16)
		curvetest.Within(t, what, float64(a.Guarantee.Delta), curvetest.Precise(t, row["delta_out"]), 4e-16)
		for i, term := range strings.Split(strings.TrimPrefix(row["note"], "terms="), "|") {
			curvetest.Within(t, what+" term", float64(a.Terms[i]), curvetest.Precise(t, term), 4e-16)
		}
	}
}

// TestGaussianCompositionAgreesWithReference compares the composition of Gaussian mechanisms with reference values.
func TestGaussianCompositionAgreesWithReference(t *testing.T) {
	for sigmas, want := range map[string]string{"1 2 3": "7.32567623534622798439697670886",
		strings.Repeat("10 ", 100): "6.17393504667090794080943142263"} {
		var ms []calibrate.Mechanism
		for _, s := range strings.Fields(sigmas) {
			ms = append(ms, calibrate.Mechanism{Sens: calibrate.Sensitivity{L2: 1},
				Sigma: calibrate.Sigma(curvetest.Nearest(t, s))})
		}
		g, err := calibrate.Compose(ms, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		curvetest.Within(t, sigmas, float64(g.Epsilon), curvetest.Precise(t, want), 1e-14)
	}
}

func drawPart(t *rapid.T) Part {
	eps := rapid.OneOf(rapid.Float64Range(0, 3), rapid.SampledFrom([]float64{0, 5e-324, 1e-200, 1e-9, 40, 900})).Draw(t,
		"epsilon")
	delta := rapid.OneOf(rapid.Float64Range(1e-12, 0.5), rapid.SampledFrom([]float64{0, calibrate.MinDelta,
		1 - 0x1p-53})).Draw(t, "delta")
	return Part{calibrate.Guarantee{Epsilon: calibrate.Epsilon(eps), Delta: calibrate.Delta(delta)},
		rapid.IntRange(1, 40).Draw(t, "times")}
}

// TestExactRegionIsBelowOtherBounds checks that the exact delta of a composition is at most the delta of basic and of
// advanced composition, and that Part.Epsilon is the least epsilon for its delta, except for rounding.
func TestExactRegionIsBelowOtherBounds(t *testing.T) {
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
		if slack := calibrate.Delta(target); slack > 0 {
			if a, err := ComposeAdvanced([]Part{p}, slack); err != nil {
				t.Fatal(err)
			} else if at, err := p.Delta(a.Guarantee.Epsilon); err != nil || float64(at) > float64(a.Guarantee.Delta)*(1+5e-16) {
				t.Fatalf("exact delta %v, %v is above Theorem 3.4's %v", at, err, a)
			}
		}
		eps, err := p.Epsilon(calibrate.Delta(target))
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

// TestPartsAreAnsweredOrNamed checks that invalid parts cause an ArgumentError.
func TestPartsAreAnsweredOrNamed(t *testing.T) {
	nan := math.NaN()
	for _, p := range []Part{
		{}, {calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}, 0}, {calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}, maxTimes +
			1}, {calibrate.Guarantee{Epsilon: calibrate.Epsilon(nan), Delta: 0}, 1}, {calibrate.Guarantee{Epsilon: 1,
			Delta: 1}, 1},
		{calibrate.Guarantee{Epsilon: 1, Delta: calibrate.Delta(nan)}, 1}, {calibrate.Guarantee{Epsilon: 1e6, Delta: 0},
			1000}, {calibrate.Guarantee{Epsilon: -1, Delta: 0}, 1}, {calibrate.Guarantee{Epsilon: 1, Delta: -1}, 1},
	} {
		var want *calibrate.ArgumentError
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
	p := Part{calibrate.Guarantee{Epsilon: 1, Delta: 1e-3}, 10}
	for _, d := range []float64{nan, 0, -1, 1, 1e-3, math.Inf(1)} {
		if eps, err := p.Epsilon(calibrate.Delta(d)); err == nil {
			t.Errorf("epsilon at %g = %v", d, eps)
		}
		if _, err := ComposeAdvanced([]Part{p}, calibrate.Delta(d)); err == nil && d != 1e-3 {
			t.Errorf("slack %g is taken", d)
		}
	}
	for _, e := range []float64{nan, -1, math.Inf(1)} {
		if _, err := p.Delta(calibrate.Epsilon(e)); err == nil {
			t.Errorf("delta at %g", e)
		}
	}
	if _, err := ComposeBasic(nil); err == nil {
		t.Error("no parts")
	}
}

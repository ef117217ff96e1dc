package methods

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
)

// TestAdvancedAtUsesItsDelta checks that the composed delta is at most the target, and less than 1e-14 below it.
func TestAdvancedAtUsesItsDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := []Part{drawPart(t), {calibrate.Guarantee{Epsilon: 0.1, Delta: 1e-9}, 3}}
		target := calibrate.Delta(rapid.Float64Range(1e-8, 0.99).Draw(t, "target"))
		a, err := AdvancedAt(parts, target)
		if err != nil {
			return // the parts' own deltas exceed it; TestExactRegionIsBelowOtherBounds tests that case
		}
		if a.Guarantee.Delta > target || float64(a.Guarantee.Delta) < float64(target)*(1-1e-14) {
			t.Fatalf("delta %v at a target of %v", a.Guarantee.Delta, target)
		}
	})
	if _, err := AdvancedAt([]Part{{calibrate.Guarantee{Epsilon: 1, Delta: 1e-3}, 10}}, 1e-3); err == nil {
		t.Error("a target below the parts' own deltas")
	}
}

// TestKairouzSigmaIsAboveTheExactOne checks that the sigma of Theorem 4.3 is more than twice the exact one, and that
// the theorem is refused for a large epsilon, for which it does not hold.
func TestKairouzSigmaIsAboveTheExactOne(t *testing.T) {
	for _, k := range []int{1, 10, 1000} {
		g := calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}
		sigma, err := KairouzSigma(calibrate.Sensitivity{L2: 2}, g, k)
		want := math.Sqrt(8*float64(k)*4*math.Log(math.E+1e6)) / 1
		if err != nil || math.Abs(float64(sigma)/want-1) > 1e-14 {
			t.Errorf("k = %d: %v, %v, want %v", k, sigma, err, want)
		}
		least, err := calibrate.AnalyticGaussian(calibrate.Sensitivity{L2: 2}, g)
		if saved := float64(sigma) / (float64(least) * math.Sqrt(float64(k))); err != nil || !(saved > 2) {
			t.Errorf("k = %d: %v, %v times the exact noise", k, saved, err)
		}
	}
	if _, err := KairouzSigma(calibrate.Sensitivity{L2: 1}, calibrate.Guarantee{Epsilon: 1e4, Delta: 1e-5},
		1); !errors.Is(err, ErrDoesNotHold) {
		t.Errorf("epsilon = 1e4: %v", err)
	}
	for _, k := range []int{0, -1, maxTimes + 1} {
		if _, err := KairouzSigma(calibrate.Sensitivity{L2: 1}, calibrate.Guarantee{Epsilon: 1, Delta: 1e-5}, k); err == nil {
			t.Errorf("times = %d", k)
		}
	}
	if _, err := KairouzSigma(calibrate.Sensitivity{L2: 1e308}, calibrate.Guarantee{Epsilon: 1e-3, Delta: 1e-5},
		9); err == nil {
		t.Error("a sigma above every float64")
	}
}

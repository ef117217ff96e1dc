package methods

import (
	"fmt"
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
)

// TestZhaoTableOneIsPutRight compares Compare with Table I of Zhao et al. 2019, after correcting its wrong figures.
func TestZhaoTableOneIsPutRight(t *testing.T) {
	for _, c := range []struct {
		eps, delta float64
		method     Method
		sigma      string
		holds      bool
	}{
		{31.62, 1e-4, Analytic, "0.19436", true},
		{31.62, 1e-4, PDPOpt, "0.19763", true},
		{10, 0.01, Dwork2006, "0.32552", false},
		{1, 1e-6, Analytic, "4.22468", true},
		{1, 1e-6, Dwork2014, "5.29880", true},
	} {
		rows, err := Compare(calibrate.Sensitivity{L2: 1}, calibrate.Guarantee{Epsilon: calibrate.Epsilon(c.eps),
			Delta: calibrate.Delta(c.delta)})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Method != c.method {
				continue
			}
			if got := fmt.Sprintf("%.5f", float64(r.Sigma)); got != c.sigma || r.Holds != c.holds {
				t.Errorf("%s at (%g, %g): %s, holds %v; want %s, %v", c.method, c.eps, c.delta, got, r.Holds, c.sigma, c.holds)
			}
		}
	}
}

// TestCompareHasEveryMethod checks that Compare lists every method, the smallest valid sigma first, and that a
// formula's sigma is below the smallest valid one only if the formula does not hold.
func TestCompareHasEveryMethod(t *testing.T) {
	for _, g := range []calibrate.Guarantee{{Epsilon: 1, Delta: 1e-6}, {Epsilon: 9, Delta: 1e-5}, {Epsilon: 0, Delta: 0.5},
		{Epsilon: calibrate.MaxEpsilon, Delta: calibrate.MinDelta}, {Epsilon: 1e-3, Delta: 0.9}} {
		rows, err := Compare(calibrate.Sensitivity{L2: 2}, g)
		if err != nil || len(rows) != len(Methods()) || rows[0].Excess != 0 || !rows[0].Holds {
			t.Fatalf("%v: %v, %v", g, rows, err)
		}
		for _, r := range rows {
			if r.Err == nil && (r.Holds != (r.Excess >= 0) || math.IsNaN(r.Excess)) {
				t.Errorf("%v: %+v", g, r)
			}
		}
	}
	if _, err := Compare(calibrate.Sensitivity{}, calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}); err == nil {
		t.Error("no sensitivity, and no error")
	}
}

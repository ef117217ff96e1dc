package calibrate

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

// golden is the rows of a table of reference values.
func golden(t *testing.T, name string) []csvtest.Row {
	t.Helper()
	return csvtest.Rows(t, csvtest.Shared(t, "golden", "calibration", name))
}

// nearest is the float64 nearest to decimal text.
func nearest(t *testing.T, text string) float64 {
	t.Helper()
	x, ok := new(big.Float).SetPrec(2000).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	f, _ := x.Float64()
	return f
}

// precise is the number that the text stands for; 0 if it is far below every float64.
func precise(t *testing.T, text string) *big.Float {
	t.Helper()
	if _, exponent, found := strings.Cut(text, "e-"); found && len(exponent) > 3 {
		return new(big.Float)
	}
	x, ok := new(big.Float).SetPrec(400).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return x
}

// within checks exact <= got <= exact·(1 + tolerance); exact is known to 29 digits.
func within(t *testing.T, what string, got float64, exact *big.Float, tolerance float64) {
	t.Helper()
	slip := new(big.Float).SetPrec(400).Mul(exact, big.NewFloat(1e-29))
	if big.NewFloat(got).Cmp(slip.Sub(exact, slip)) < 0 {
		t.Errorf("%s: %v is below %.20g", what, got, exact)
	}
	most := new(big.Float).SetPrec(400).Mul(exact, big.NewFloat(1+tolerance))
	if exact.Cmp(big.NewFloat(0x1p-1022)) < 0 {
		most.SetFloat64(0x1p-1022)
	}
	if big.NewFloat(got).Cmp(most) > 0 {
		t.Errorf("%s: %v is above %.20g·(1 + %g)", what, got, exact, tolerance)
	}
}

func TestGoldenSigma(t *testing.T) {
	for _, row := range golden(t, "agm_sigma.csv") {
		eps, delta := nearest(t, row["eps"]), nearest(t, row["delta"])
		sigma, err := AnalyticGaussian(Sensitivity{L2: 1}, Guarantee{Epsilon(eps), Delta(delta)})
		if err != nil {
			t.Errorf("%s, %s: %v", row["eps"], row["delta"], err)
			continue
		}
		exact := precise(t, row["sigma_f64in"])
		within(t, row["eps"]+", "+row["delta"], float64(sigma), exact, 1e-14)
		if below := math.Nextafter(float64(sigma), 0); big.NewFloat(below).Cmp(exact) >= 0 {
			t.Errorf("%s, %s: %v is not the least float64 above %.20g", row["eps"], row["delta"], sigma, exact)
		}
	}
}

func TestGoldenCurve(t *testing.T) {
	for _, row := range golden(t, "gaussian_delta.csv") {
		m := Mechanism{Sens: Sensitivity{L2: 1}, Sigma: Sigma(nearest(t, row["sigma"]))}
		what := row["kind"] + ": eps = " + row["eps"] + ", sigma = " + row["sigma"] + ", delta = " + row["delta"]
		if row["kind"] == "delta" {
			delta, err := m.Delta(Epsilon(nearest(t, row["eps"])))
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			within(t, what, float64(delta), precise(t, row["delta"]), 1e-12)
			continue
		}
		eps, err := m.Epsilon(Delta(nearest(t, row["delta"])))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		within(t, what, float64(eps), precise(t, row["eps"]), 1e-12)
	}
}

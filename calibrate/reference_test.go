package calibrate

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/internal/csvtest"
)

// golden returns the rows of a table of reference values.
func golden(t *testing.T, name string) []csvtest.Row {
	t.Helper()
	return csvtest.Rows(t, csvtest.Shared(t, "golden", "calibration", name))
}

func TestSigmaAgreesWithReference(t *testing.T) {
	for _, row := range golden(t, "agm_sigma.csv") {
		eps, delta := curvetest.Nearest(t, row["eps"]), curvetest.Nearest(t, row["delta"])
		sigma, err := AnalyticGaussian(Sensitivity{L2: 1}, Guarantee{Epsilon(eps), Delta(delta)})
		if err != nil {
			t.Errorf("%s, %s: %v", row["eps"], row["delta"], err)
			continue
		}
		exact := curvetest.Precise(t, row["sigma_f64in"])
		curvetest.Within(t, row["eps"]+", "+row["delta"], float64(sigma), exact, 1e-14)
		if below := math.Nextafter(float64(sigma), 0); big.NewFloat(below).Cmp(exact) >= 0 {
			t.Errorf("%s, %s: %v is not the least float64 above %.20g", row["eps"], row["delta"], sigma, exact)
		}
	}
}

func TestCurveAgreesWithReference(t *testing.T) {
	for _, row := range golden(t, "gaussian_delta.csv") {
		m := Mechanism{Sens: Sensitivity{L2: 1}, Sigma: Sigma(curvetest.Nearest(t, row["sigma"]))}
		what := row["kind"] + ": eps = " + row["eps"] + ", sigma = " + row["sigma"] + ", delta = " + row["delta"]
		if row["kind"] == "delta" {
			delta, err := m.Delta(Epsilon(curvetest.Nearest(t, row["eps"])))
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			curvetest.Within(t, what, float64(delta), curvetest.Precise(t, row["delta"]), 1e-12)
			continue
		}
		eps, err := m.Epsilon(Delta(curvetest.Nearest(t, row["delta"])))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		curvetest.Within(t, what, float64(eps), curvetest.Precise(t, row["eps"]), 1e-12)
	}
}

// TestSigmaAgreesWithPapers checks figures that are known from the papers and from other programs' failures.
func TestSigmaAgreesWithPapers(t *testing.T) {
	for _, c := range []struct {
		eps, delta float64
		digits     string
	}{
		{1, 1e-6, "4.224678889"},
		{1, 0.4, "0.5872"}, // Balle & Wang's Theorem 4 as printed would ask for more than 1/sqrt 2
		{31.62, 1e-4, "0.19436"},
	} {
		sigma, err := AnalyticGaussian(Sensitivity{L2: 1}, Guarantee{Epsilon(c.eps), Delta(c.delta)})
		if err != nil {
			t.Fatal(err)
		}
		if text := FormatExact(float64(sigma)); !strings.HasPrefix(text, c.digits) {
			t.Errorf("sigma(%g, %g) = %s, want %s…", c.eps, c.delta, text, c.digits)
		}
	}
}

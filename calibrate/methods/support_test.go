package methods

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/internal/csvtest"
	"github.com/dprelease/dprelease/internal/owntest"
)

func init() { owntest.DrawLess() }

// golden returns the rows of a table of reference values.
func golden(t *testing.T, name string) []csvtest.Row {
	t.Helper()
	return csvtest.Rows(t, csvtest.Shared(t, "golden", "calibration", name))
}

// drawGuarantee draws from the whole range of guarantees.
func drawGuarantee(t *rapid.T, label string) calibrate.Guarantee {
	eps, delta := curvetest.DrawEpsilonDelta(t, label)
	return calibrate.Guarantee{Epsilon: calibrate.Epsilon(eps), Delta: calibrate.Delta(delta)}
}

// mustSigma returns the least sigma.
func mustSigma(t *rapid.T, l2 float64, g calibrate.Guarantee) float64 {
	sigma, err := calibrate.AnalyticGaussian(calibrate.Sensitivity{L2: l2}, g)
	if err != nil {
		t.Fatal(err)
	}
	return float64(sigma)
}

//go:build check

package main

import (
	"math"
	"os"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/exampletest"
	"github.com/dprelease/dprelease/examples/internal/experimenttest"
)

// The numbers of a quick run have the properties that the figures show. The noise is the pipeline's and new each time:
// bounds are wide enough for a false-alarm rate below 1e-9.
func TestFigures(t *testing.T) {
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("seven releases of 27 million cells: set DPRELEASE_LONG=1")
	}
	dir, data := exampletest.Folder(t)
	if !exampletest.Original(t, adult(), dir) {
		whole(t, data)
	}
	out := exampletest.Evaluate(t, dir, evaluate)
	experimenttest.Figures(t, out, "fig5_mse", "estimates", "margins")
	checkNoise(t, experimenttest.Table(t, out, "fig5_mse"))
	checkEstimates(t, experimenttest.Table(t, out, "estimates"))
	checkMargins(t, experimenttest.Table(t, out, "margins"))
}

// The mean squared error of the noisy counts is sigma²: over 27 million cells its standard deviation is 0.027 %.
// Classical noise is larger.
func checkNoise(t *testing.T, rows []experimenttest.Row) {
	sigma := map[string]float64{}
	for _, r := range rows {
		if math.Abs(r.Float("mse_over_sigma2")-1) > 0.002 {
			t.Errorf("%v", r)
		}
		sigma[r["mechanism"]+" "+r["eps"]+" "+r["delta"]] = r.Float("sigma")
	}
	for _, at := range []string{"0.3 1e-05", "1 1e-05", "1 1e-06"} {
		if !(sigma["DP-OPT "+at] > 0 && sigma["DP-OPT "+at] < 0.9*sigma["Dwork-2014 "+at]) {
			t.Errorf("%s: %v", at, sigma)
		}
	}
}

// Only thresholding beats the answer 0 by much, and the released estimate is sparse.
func checkEstimates(t *testing.T, rows []experimenttest.Row) {
	mse := map[string]float64{}
	for _, r := range rows {
		mse[r["estimate"]] = r.Float("mse")
		if r["estimate"] == "soft threshold, as released" && r.Float("rows_written") > 2000 {
			t.Errorf("%v", r)
		}
	}
	soft := mse["soft threshold, as released"]
	if !(soft < mse["zero"] && mse["zero"] < mse["raw"]) || !(mse["James-Stein"] < 1.01*mse["zero"]) {
		t.Errorf("mean squared errors: %v", mse)
	}
}

// In the table of 1,120 cells the consistent estimates are better by the amount that six draws show clearly: the mean
// squared error falls by 17 % in expectation, and its standard error in the difference is below 2 %.
func checkMargins(t *testing.T, rows []experimenttest.Row) {
	r := rows[0]
	if r["query"] != "table" || r["cells"] != "1120" || r.Float("ratio") > 0.95 || r.Float("ratio") < 0.7 {
		t.Errorf("%v", r)
	}
	if len(rows) != 12 {
		t.Errorf("%d tables", len(rows))
	}
}

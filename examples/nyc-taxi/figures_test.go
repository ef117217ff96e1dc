//go:build check

package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/exampletest"
	"github.com/dprelease/dprelease/examples/internal/experimenttest"
)

// The numbers of a quick run have the properties that the figures show. The noise is the pipeline's and new each time:
// bounds are wide enough for a false-alarm rate below 1e-9.
func TestFigures(t *testing.T) {
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("with DPRELEASE_LONG: eight releases and their estimates")
	}
	dir, data := exampletest.Folder(t)
	if !exampletest.Original(t, taxi(), dir) {
		invented(t, data)
	}
	out := exampletest.Evaluate(t, dir, evaluate)
	experimenttest.Figures(t, out, "maps_evaluation", "maps_kernel", "fig6_rmse")
	checkSweep(t, experimenttest.Table(t, out, "fig6_rmse"))
	checkSensitivities(t, dir, experimenttest.Table(t, out, "kernel_sensitivity"))
	checkKernel(t, experimenttest.Table(t, out, "maps_evaluation"), experimenttest.Table(t, out, "maps_kernel"))
}

// Raw errors are sigma: their squares over 3,874 junctions have a standard deviation of 2.3 %, and cut events add
// little. Classical noise is larger by the ratio of the formulas. At epsilon 5 the ensemble is far better than the raw
// counts and than the mean; with sigma above 90 soft thresholding is the answer 0.
func checkSweep(t *testing.T, rows []experimenttest.Row) {
	rmse := map[string]float64{}
	for _, r := range rows {
		rmse[r["noise"]+" "+r["eps"]+" "+r["estimator"]] = r.Float("rmse")
		if ratio := r.Float("rmse") / r.Float("sigma"); r["estimator"] == "raw" && math.Abs(ratio-1) > 0.15 {
			t.Errorf("raw error over sigma is %g at %v", ratio, r)
		}
	}
	for _, noise := range []string{"analytic", "classical"} {
		best := rmse[noise+" 5 tree ensemble"]
		if !(best < 0.85*rmse[noise+" 5 raw"]) || !(best < 0.85*rmse[noise+" 5 mean"]) {
			t.Errorf("%s: the ensemble has %g, raw counts %g, the mean %g", noise, best, rmse[noise+" 5 raw"],
				rmse[noise+" 5 mean"])
		}
		if soft, zero := rmse[noise+" 0.2 soft threshold"], rmse[noise+" 0.2 zero"]; math.Abs(soft/zero-1) > 0.25 {
			t.Errorf("%s: soft thresholding has %g, the answer 0 %g", noise, soft, zero)
		}
	}
}

// The job's sensitivity is five times the norm computed here; densities that are not normalised need more than 5 (on
// the invented grid 7.6 to 15, on the road graph 16 to 24).
func checkSensitivities(t *testing.T, dir string, rows []experimenttest.Row) {
	planned := exampletest.Plan(t, filepath.Join(dir, "kernel.yaml"), nil).Queries()[0].Sensitivity().L2
	for _, r := range rows {
		if here := r.Float("unit_mass_sensitivity"); r["bandwidth_m"] == "150" && math.Abs(planned/here-1) > 1e-5 {
			t.Errorf("the plan has a sensitivity of %g, the shares %g", planned, here)
		}
		if r.Float("unit_mass_sensitivity") > 5 || r.Float("unnormalised_sensitivity") < 7 {
			t.Errorf("%v", r)
		}
	}
}

// The noise of the kernel's map is at most 0.8 of the noise of the other map.
func checkKernel(t *testing.T, nearest, kernel []experimenttest.Row) {
	if ratio := kernel[0].Float("sigma") / nearest[0].Float("sigma"); ratio > 0.8 {
		t.Errorf("the kernel's noise is %g of the other's", ratio)
	}
}

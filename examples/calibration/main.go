// Command calibration reproduces what the papers say about how much Gaussian noise an (epsilon, delta) needs: Balle & Wang
// 2018, Figures 1 and 3 on the left; Zhao et al. 2019, Figures 1 to 3 and Tables I to III. From the repository's root:
//
//	go run ./examples/calibration
package main

import (
	"context"
	"os"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

func main() { os.Exit(experiment.Main(calibration().Execute)) }

// calibration makes all tables and figures. It uses no random numbers.
func calibration() experiment.Experiment {
	return experiment.Experiment{Dir: "examples/calibration", Run: experiment.Parts(gains, failures, mechanisms, tables, errata)}
}

// unit is a sensitivity of 1. All values of sigma here are multiples of the sensitivity.
var unit = calibrate.Sensitivity{L2: 1, Why: "the unit"}

// at returns the guarantee with this epsilon and delta.
func at(epsilon, delta float64) calibrate.Guarantee {
	return calibrate.Guarantee{Epsilon: calibrate.Epsilon(epsilon), Delta: calibrate.Delta(delta)}
}

// sigmas returns the sigma of each formula at each guarantee: sigma[method][guarantee].
func sigmas(ctx context.Context, s *experiment.Session, methods []methods.Method, at []calibrate.Guarantee) ([][]float64, error) {
	out := make([][]float64, len(methods))
	for m := range out {
		out[m] = make([]float64, len(at))
	}
	err := s.Each(ctx, "calibrating", len(methods)*len(at), func(_ context.Context, i int) error {
		m, g := i/len(at), i%len(at)
		sigma, err := methods[m].Formula(unit, at[g])
		out[m][g] = float64(sigma)
		return err
	})
	return out, err
}

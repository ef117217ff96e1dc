package main

import (
	"context"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// unit is a sensitivity of 1, so that each sigma here is a multiple of the sensitivity.
var unit = calibrate.Sensitivity{L2: 1, Why: "the unit"}

func at(epsilon, delta float64) calibrate.Guarantee {
	return calibrate.Guarantee{Epsilon: calibrate.Epsilon(epsilon), Delta: calibrate.Delta(delta)}
}

// sigmas returns the sigma of each formula at each guarantee: sigma[method][guarantee].
func sigmas(ctx context.Context, s *experiment.Session, methods []methods.Method,
	at []calibrate.Guarantee) ([][]float64, error) {
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

package main

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// tableEpsilons are the rows of the paper's Table I, and tableDeltas its columns.
var (
	tableEpsilons = []float64{0.1, 1, 3.162, 10, 31.62, 100}
	tableDeltas   = []float64{1e-2, 1e-3, 1e-4, 1e-5, 1e-6}
)

// tables writes corrected tables: the noise that each guarantee needs, and the limits of the classical formulas.
func tables(ctx context.Context, s *experiment.Session) error {
	methods := methods.Methods()
	var guarantees []calibrate.Guarantee
	for _, d := range tableDeltas {
		guarantees = append(guarantees, along(tableEpsilons, d)...)
	}
	sigma, err := sigmas(ctx, s, methods, guarantees)
	if err != nil {
		return err
	}
	table := experiment.Table{Columns: []string{"eps", "delta", "method", "sigma", "excess", "true_delta", "holds"}}
	for j, g := range guarantees {
		for i, m := range methods {
			delta, err := calibrate.Mechanism{Query: "q", Sens: unit, Sigma: calibrate.Sigma(sigma[i][j])}.Delta(g.Epsilon)
			if err != nil {
				return err
			}
			table.Add(float64(g.Epsilon), float64(g.Delta), string(m), sigma[i][j], sigma[i][j]/sigma[0][j]-1, float64(delta),
				fmt.Sprint(delta <= g.Delta))
		}
	}
	if err := s.Table("table1", table); err != nil {
		return err
	}
	return limits(s)
}

// limits writes for each formula and delta the largest epsilon for which the formula holds, G(delta), to nine digits.
func limits(s *experiment.Session) error {
	table := experiment.Table{Columns: []string{"delta", "method", "G"}}
	for _, d := range tableDeltas {
		for _, c := range classical {
			g, err := c.method.Threshold(calibrate.Delta(d))
			if err != nil {
				return err
			}
			table.Add(d, string(c.method), float64(g))
		}
	}
	return s.Table("limits", table)
}

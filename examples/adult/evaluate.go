package main

import (
	"context"
	"path/filepath"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/example"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/examples/internal/figure"
)

// formulas are the ways to calibrate noise that are compared.
var formulas = []struct {
	method methods.Method
	figure.Key
}{
	{methods.Analytic, figure.Key{Name: "DP-OPT", Style: figure.Style{Color: figure.Black, Line: figure.Solid,
		Mark: figure.Circle}}},
	{methods.Zhao1, figure.Key{Name: "Mechanism 1", Style: figure.Style{Color: figure.Green, Line: figure.Solid}}},
	{methods.Zhao2, figure.Key{Name: "Mechanism 2", Style: figure.Style{Color: figure.SkyBlue, Line: figure.Solid}}},
	{methods.PDPOpt, figure.Key{Name: "pDP-OPT", Style: figure.Style{Color: figure.Black, Line: figure.Dashed}}},
	{methods.Zhao3, figure.Key{Name: "Mechanism 3", Style: figure.Style{Color: figure.Purple, Line: figure.Dashed}}},
	{methods.Zhao4, figure.Key{Name: "Mechanism 4", Style: figure.Style{Color: figure.Orange, Line: figure.Dashed}}},
	{methods.Dwork2014, figure.Key{Name: "Dwork-2014", Style: figure.Style{Color: figure.Vermilion, Line: figure.Dotted}}},
	{methods.Dwork2006, figure.Key{Name: "Dwork-2006", Style: figure.Style{Color: figure.Blue, Line: figure.Dotted}}},
}

// These are the values of epsilon and delta that a sweep over the other one keeps fixed.
const (
	fixedEpsilon = 1
	fixedDelta   = 1e-5
)

// evaluate compares releases of the public table with the truth.
func evaluate(ctx context.Context, at example.At, s *experiment.Session) error {
	dir := at.Dir
	e, err := example.Evaluate(ctx, filepath.Join(dir, "evaluate.yaml"), filepath.Join(dir, "out", "evaluation"))
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }() // Close loses nothing: each entry was made durable
	truth, err := exactCells(ctx, dir, "evaluate.yaml")
	if err != nil {
		return err
	}
	c := &comparison{Evaluation: e, Session: s, truth: truth}
	if err := c.sweeps(ctx); err != nil {
		return err
	}
	if err := c.estimates(ctx); err != nil {
		return err
	}
	return margins(ctx, dir, s)
}

// comparison makes releases and compares them with the truth.
type comparison struct {
	*example.Evaluation
	*experiment.Session
	truth cells
}

// setting is a release to make: a formula for the noise, and a guarantee.
type setting struct {
	method         methods.Method
	epsilon, delta float64
}

// params returns the parameters of the job for this setting. The job calibrates its noise by the analytic mechanism. To
// get the noise of another formula, params declares a sensitivity larger than 1. If the formula gives less noise than
// the guarantee needs, there is no such job, and ok is false.
func (x setting) params() (params map[string]string, ok bool, err error) {
	g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(x.epsilon), Delta: calibrate.Delta(x.delta)}
	unit := calibrate.Sensitivity{L2: 1, Why: "one row"}
	least, err := calibrate.AnalyticGaussian(unit, g)
	if err != nil {
		return nil, false, err
	}
	sigma, err := x.method.Formula(unit, g)
	if err != nil {
		return nil, false, err
	}
	ratio := float64(sigma) / float64(least)
	return map[string]string{
		"epsilon": experiment.Text(x.epsilon), "delta": experiment.Text(x.delta), "sensitivity": experiment.Text(max(ratio,
			1)),
	}, ratio >= 1, nil
}

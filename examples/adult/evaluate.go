package main

import (
	"context"
	"path/filepath"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/example"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// formulas are the formulas for the noise that are compared.
var formulas = []struct {
	method methods.Method
	picture.Key
}{
	{methods.Analytic, picture.Key{Name: "DP-OPT", Style: picture.Style{Color: picture.Black, Line: picture.Solid,
		Mark: picture.Circle}}},
	{methods.Zhao1, picture.Key{Name: "Mechanism 1", Style: picture.Style{Color: picture.Green, Line: picture.Solid}}},
	{methods.Zhao2, picture.Key{Name: "Mechanism 2", Style: picture.Style{Color: picture.SkyBlue, Line: picture.Solid}}},
	{methods.PDPOpt, picture.Key{Name: "pDP-OPT", Style: picture.Style{Color: picture.Black, Line: picture.Dashed}}},
	{methods.Zhao3, picture.Key{Name: "Mechanism 3", Style: picture.Style{Color: picture.Purple, Line: picture.Dashed}}},
	{methods.Zhao4, picture.Key{Name: "Mechanism 4", Style: picture.Style{Color: picture.Orange, Line: picture.Dashed}}},
	{methods.Dwork2014, picture.Key{Name: "Dwork-2014", Style: picture.Style{Color: picture.Vermilion,
		Line: picture.Dotted}}},
	{methods.Dwork2006, picture.Key{Name: "Dwork-2006", Style: picture.Style{Color: picture.Blue, Line: picture.Dotted}}},
}

// A sweep over epsilon keeps delta fixed at this value, and a sweep over delta keeps epsilon fixed.
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
	defer func() { _ = e.Close() }() // nothing is lost: each entry of the ledger is durable
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

// setting describes a release to make: a formula for the noise, and a guarantee.
type setting struct {
	method         methods.Method
	epsilon, delta float64
}

// params returns the parameters of the job for this setting. The job calibrates its noise by the analytic mechanism. To
// get the noise of another formula, params declares a sensitivity larger than 1. If the formula gives less noise than
// the guarantee needs, no job can have that noise, and ok is false.
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

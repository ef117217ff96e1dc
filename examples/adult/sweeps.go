package main

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// sweeps writes the mean squared error of the noise of each formula against epsilon and against delta (Zhao et al.,
// Figure 5).
func (c *comparison) sweeps(ctx context.Context) error {
	byEpsilon, byDelta := []float64{0.1, 0.3, 1, 3, 6}, []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4}
	methods := formulas
	if c.Quick {
		byEpsilon, byDelta, methods = []float64{0.3, 1}, []float64{1e-6}, methods[:1:1]
		methods = append(methods, formulas[len(formulas)-2])
	}
	table := experiment.Table{Columns: []string{"sweep", "eps", "delta", "mechanism", "sigma", "mse", "mse_over_sigma2"}}
	f := picture.Figure{Note: fmt.Sprintf("releases of the 45,222 complete rows of Adult, %d cells; left δ = %g, right ε "+
		"= %d", c.truth.number, fixedDelta, fixedEpsilon)}
	for _, w := range []struct {
		name, axis string
		x          []float64
	}{{"eps", "ε", byEpsilon}, {"delta", "δ", byDelta}} {
		chart := picture.Chart{X: picture.Axis{Label: w.axis, Log: true},
			Y: picture.Axis{Label: "mean squared error", Log: true}}
		for _, m := range methods {
			line := picture.Line{Style: m.Style}
			for _, x := range w.x {
				at := setting{m.method, x, fixedDelta}
				if w.name == "delta" {
					at = setting{m.method, fixedEpsilon, x}
				}
				sigma, mse, err := c.raw(ctx, at)
				if err != nil {
					return err
				}
				if sigma > 0 {
					line.X, line.Y = append(line.X, x), append(line.Y, mse)
					table.Add(w.name, at.epsilon, at.delta, m.Name, sigma, mse, mse/(sigma*sigma))
				}
			}
			chart.Lines = append(chart.Lines, line)
		}
		f.Panels = append(f.Panels, chart)
	}
	for _, m := range methods {
		f.Keys = append(f.Keys, m.Key)
	}
	if err := c.Table("fig5_mse", table); err != nil {
		return err
	}
	return c.Figure("fig5_mse", f)
}

// raw returns the mean squared error of the noisy counts of a release, and sigma. Both are 0 if the formula gives too
// little noise.
func (c *comparison) raw(ctx context.Context, x setting) (sigma, mse float64, err error) {
	params, ok, err := x.params()
	if err != nil || !ok {
		return 0, 0, err
	}
	c.Say("  releasing: %s at ε = %g, δ = %g", x.method, x.epsilon, x.delta)
	release, err := c.Release(ctx, params)
	if err != nil {
		return 0, 0, err
	}
	answer := release.Results()[0].Answer
	var one [1]float64
	answer.Sigma(0, one[:])
	return one[0], c.truth.meanSquare(series(answer.Noisy)), nil
}

package main

import (
	"context"

	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/examples/internal/figure"
)

// estimators are the estimators that are compared on the noisy counts. The soft threshold is the step of the job
// itself.
var estimators = []struct {
	figure.Key
	slow bool
	x    func(y []float64, s float64) []float64
}{
	{Key: figure.Key{Name: "raw", Style: figure.Style{Color: figure.Black, Line: figure.Solid, Mark: figure.Circle}}},
	{Key: figure.Key{Name: "James-Stein", Style: figure.Style{Color: figure.Vermilion, Line: figure.Solid,
		Mark: figure.Triangle}},
		x: func(y []float64, s float64) []float64 { return denoise.JamesStein(y, s, true) }},
	{Key: figure.Key{Name: "soft threshold, as released",
		Style: figure.Style{Color: figure.Green, Line: figure.Solid, Mark: figure.Ring}}},
	{Key: figure.Key{Name: "hard threshold", Style: figure.Style{Color: figure.Blue, Line: figure.Solid,
		Mark: figure.Square}},
		x: func(y []float64, s float64) []float64 {
			return denoise.HardThreshold(y, denoise.UniversalThreshold(len(y), s))
		}},
	{Key: figure.Key{Name: "empirical Bayes", Style: figure.Style{Color: figure.Orange, Line: figure.Solid,
		Mark: figure.Circle}}, slow: true,
		x: func(y []float64, s float64) []float64 { return denoise.EmpiricalBayes(y, s, true).X }},
	{Key: figure.Key{Name: "zero", Style: figure.Style{Color: figure.Gray, Line: figure.Dotted}}},
}

// Slow estimators take a minute of processor time each. They run only in this range of epsilon.
const slowFrom, slowTo = 0.5, 2

// estimates writes the mean squared error of each estimator against epsilon, from one release each.
func (c *comparison) estimates(ctx context.Context) error {
	epsilons := []float64{0.1, 0.5, 1, 2, 5}
	if c.Quick {
		epsilons = []float64{1}
	}
	table := experiment.Table{Columns: []string{"eps", "delta", "estimate", "mse", "over_zero", "rows_written"}}
	lines := make([]figure.Line, len(estimators))
	nothing := c.truth.meanSquare(zero)
	for _, eps := range epsilons {
		mse, written, err := c.estimate(ctx, eps)
		if err != nil {
			return err
		}
		for i, e := range estimators {
			if x, ok := mse[e.Name]; ok {
				lines[i].X, lines[i].Y = append(lines[i].X, eps), append(lines[i].Y, x)
				table.Add(eps, fixedDelta, e.Name, x, x/nothing, written[e.Name])
			}
		}
	}
	f := figure.Figure{Width: 12, Height: 8, Note: "one release of 27,000,960 cells at each ε, δ = 1e-5"}
	chart := figure.Chart{X: figure.Axis{Label: "ε", Log: true}, Y: figure.Axis{Label: "mean squared error", Log: true}}
	for i, e := range estimators {
		lines[i].Style = e.Style
		chart.Lines = append(chart.Lines, lines[i])
		f.Keys = append(f.Keys, e.Key)
	}
	f.Panels = []figure.Panel{chart}
	if err := c.Table("estimates", table); err != nil {
		return err
	}
	return c.Figure("estimates", f)
}

// estimate returns the mean squared error of each estimator, and how many cells it leaves that are not 0.
func (c *comparison) estimate(ctx context.Context, eps float64) (mse map[string]float64, written map[string]int,
	err error) {
	params, _, err := setting{methods.Analytic, eps, fixedDelta}.params()
	if err != nil {
		return nil, nil, err
	}
	c.Say("  estimating at ε = %g", eps)
	release, err := c.Release(ctx, params)
	if err != nil {
		return nil, nil, err
	}
	answer := release.Results()[0].Answer
	y, s := make([]float64, c.truth.number), make([]float64, 1)
	answer.Noisy(0, y)
	answer.Sigma(0, s)
	mse, written = map[string]float64{}, map[string]int{}
	for _, e := range estimators {
		if e.slow && (c.Quick || eps < slowFrom || eps > slowTo) {
			continue
		}
		x := y
		switch {
		case e.x != nil:
			x = e.x(y, s[0])
		case e.Name == "zero":
			x = make([]float64, len(y))
		case e.Name != "raw":
			x = make([]float64, len(y))
			answer.Estimate(0, x)
		}
		mse[e.Name] = c.truth.meanSquare(func(start int, dst []float64) { copy(dst, x[start:]) })
		written[e.Name] = nonzero(x)
	}
	return mse, written, nil
}

func nonzero(x []float64) (n int) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}

package main

import (
	"context"

	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// estimators are the estimators that are compared on the noisy counts. The job itself uses the soft threshold.
var estimators = []struct {
	picture.Key
	slow bool
	x    func(y []float64, s float64) []float64
}{
	{Key: picture.Key{Name: "raw", Style: picture.Style{Color: picture.Black, Line: picture.Solid, Mark: picture.Circle}}},
	{Key: picture.Key{Name: "James-Stein", Style: picture.Style{Color: picture.Vermilion, Line: picture.Solid,
		Mark: picture.Triangle}},
		x: func(y []float64, s float64) []float64 { return denoise.JamesStein(y, s, true) }},
	{Key: picture.Key{Name: "soft threshold, as released",
		Style: picture.Style{Color: picture.Green, Line: picture.Solid, Mark: picture.Ring}}},
	{Key: picture.Key{Name: "hard threshold", Style: picture.Style{Color: picture.Blue, Line: picture.Solid,
		Mark: picture.Square}},
		x: func(y []float64, s float64) []float64 {
			return denoise.HardThreshold(y, denoise.UniversalThreshold(len(y), s))
		}},
	{Key: picture.Key{Name: "empirical Bayes", Style: picture.Style{Color: picture.Orange, Line: picture.Solid,
		Mark: picture.Circle}}, slow: true,
		x: func(y []float64, s float64) []float64 { return denoise.EmpiricalBayes(y, s, true).X }},
	{Key: picture.Key{Name: "zero", Style: picture.Style{Color: picture.Gray, Line: picture.Dotted}}},
}

// Slow estimators take a minute of CPU time each. They run only for values of epsilon from slowFrom to slowTo.
const slowFrom, slowTo = 0.5, 2

// estimates writes the mean squared error of each estimator against epsilon, from one release each.
func (c *comparison) estimates(ctx context.Context) error {
	epsilons := []float64{0.1, 0.5, 1, 2, 5}
	if c.Quick {
		epsilons = []float64{1}
	}
	table := experiment.Table{Columns: []string{"eps", "delta", "estimate", "mse", "over_zero", "rows_written"}}
	lines := make([]picture.Line, len(estimators))
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
	f := picture.Figure{Width: 12, Height: 8, Note: "one release of 27,000,960 cells at each ε, δ = 1e-5"}
	chart := picture.Chart{X: picture.Axis{Label: "ε", Log: true}, Y: picture.Axis{Label: "mean squared error", Log: true}}
	for i, e := range estimators {
		lines[i].Style = e.Style
		chart.Lines = append(chart.Lines, lines[i])
		f.Keys = append(f.Keys, e.Key)
	}
	f.Panels = []picture.Panel{chart}
	if err := c.Table("estimates", table); err != nil {
		return err
	}
	return c.Figure("estimates", f)
}

// estimate makes a release and returns the mean squared error of each estimator, and how many cells each estimator
// leaves that are not 0.
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

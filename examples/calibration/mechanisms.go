package main

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// drawn are the formulas in the figures, the best one first.
var drawn = []struct {
	method methods.Method
	name   string
	style  picture.Style
}{
	{methods.Analytic, "DP-OPT (analytic)", picture.Style{Color: picture.Black, Line: picture.Solid}},
	{methods.Zhao1, "Mechanism 1", picture.Style{Color: picture.Green, Line: picture.Solid}},
	{methods.Zhao2, "Mechanism 2", picture.Style{Color: picture.SkyBlue, Line: picture.Solid}},
	{methods.PDPOpt, "pDP-OPT", picture.Style{Color: picture.Black, Line: picture.Dashed}},
	{methods.Zhao3, "Mechanism 3", picture.Style{Color: picture.Purple, Line: picture.Dashed}},
	{methods.Zhao4, "Mechanism 4", picture.Style{Color: picture.Orange, Line: picture.Dashed}},
	{methods.ZCDP, "zCDP", picture.Style{Color: picture.Gray, Line: picture.DashDotted}},
	{methods.Dwork2014, "Dwork & Roth 2014", picture.Style{Color: picture.Vermilion, Line: picture.Dotted}},
	{methods.Dwork2006, "Dwork et al. 2006", picture.Style{Color: picture.Blue, Line: picture.Dotted}},
}

// mechanisms shows the noise of all formulas against epsilon and against delta.
func mechanisms(ctx context.Context, s *experiment.Session) error {
	epsilons, deltas := experiment.Grid(0.01, 100, s.Pick(81, 9)), experiment.Grid(1e-10, 0.1, s.Pick(46, 10))
	table := experiment.Table{Columns: []string{"sweep", "eps", "delta", "method", "sigma", "over_optimum", "holds"}}
	byEpsilon := sweep{name: "eps", x: epsilons, axis: picture.Axis{Label: "ε", Log: true}, title: "δ = 1e-5",
		at: along(epsilons, 1e-5), most: 1.8}
	byDelta := sweep{name: "delta", x: deltas, axis: picture.Axis{Label: "δ", Log: true}, title: "ε = 1", most: 1.8}
	large := sweep{name: "delta at eps 10", x: deltas, axis: picture.Axis{Label: "δ", Log: true}, title: "ε = 10",
		most: 1.3}
	for _, d := range deltas {
		byDelta.at, large.at = append(byDelta.at, at(1, d)), append(large.at, at(10, d))
	}
	f := picture.Figure{Columns: 2, Note: "exact values, sensitivity 1; a formula is drawn only where its noise is enough"}
	for _, w := range []sweep{byEpsilon, byDelta, large} {
		noise, ratio, err := w.draw(ctx, s, &table)
		if err != nil {
			return err
		}
		f.Panels = append(f.Panels, noise, ratio)
	}
	for _, d := range drawn {
		f.Keys = append(f.Keys, picture.Key{Name: d.name, Style: d.style})
	}
	if err := s.Table("mechanisms", table); err != nil {
		return err
	}
	return s.Figure("mechanisms", f)
}

// sweep is one row of the figure: noise against epsilon or against delta.
type sweep struct {
	name  string
	x     []float64
	at    []calibrate.Guarantee
	axis  picture.Axis
	title string
	// most is the upper limit of the axis that shows the noise divided by the smallest noise of all formulas.
	most float64
}

func (w sweep) draw(ctx context.Context, s *experiment.Session, table *experiment.Table) (noise, ratio picture.Chart,
	err error) {
	methods := make([]methods.Method, len(drawn))
	for i, d := range drawn {
		methods[i] = d.method
	}
	sigma, err := sigmas(ctx, s, methods, w.at)
	if err != nil {
		return noise, ratio, err
	}
	noise = picture.Chart{Title: "Noise, " + w.title, X: w.axis, Y: picture.Axis{Label: "σ", Log: true}}
	ratio = picture.Chart{Title: "Noise over the least, " + w.title, X: w.axis,
		Y: picture.Axis{Label: "σ / σ of DP-OPT", From: 0.98, To: w.most}}
	for i, d := range drawn {
		var x, y, r []float64
		for j, g := range w.at {
			holds := sigma[i][j] >= sigma[0][j]
			table.Add(w.name, float64(g.Epsilon), float64(g.Delta), string(d.method), sigma[i][j], sigma[i][j]/sigma[0][j],
				fmt.Sprint(holds))
			if holds {
				x, y, r = append(x, w.x[j]), append(y, sigma[i][j]), append(r, sigma[i][j]/sigma[0][j])
			}
		}
		noise.Lines = append(noise.Lines, picture.Line{Style: d.style, X: x, Y: y})
		ratio.Lines = append(ratio.Lines, picture.Line{Style: d.style, X: x, Y: r})
	}
	return noise, ratio, nil
}

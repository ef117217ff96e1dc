package main

import (
	"context"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// classical are the two classical formulas for sigma.
var classical = []struct {
	method methods.Method
	name   string
	color  picture.Color
}{
	{methods.Dwork2014, "Dwork & Roth 2014", picture.Vermilion},
	{methods.Dwork2006, "Dwork et al. 2006", picture.Blue},
}

// failures shows that the classical formulas give too little noise if epsilon is above a limit G(delta).
func failures(ctx context.Context, s *experiment.Session) error {
	deltas := experiment.Grid(1e-12, 0.1, s.Pick(56, 12))
	limits := make([][]float64, len(classical))
	for m := range limits {
		limits[m] = make([]float64, len(deltas))
	}
	err := s.Each(ctx, "limits", len(classical)*len(deltas), func(_ context.Context, i int) error {
		m, d := i/len(deltas), i%len(deltas)
		g, err := classical[m].method.Threshold(calibrate.Delta(deltas[d]))
		limits[m][d] = float64(g)
		return err
	})
	if err != nil {
		return err
	}
	table := experiment.Table{Columns: []string{"delta", "G_dwork2014", "G_dwork2006"}}
	for i, d := range deltas {
		table.Add(d, limits[0][i], limits[1][i])
	}
	if err := s.Table("failure_regions", table); err != nil {
		return err
	}
	excess, err := excessDelta(s)
	if err != nil {
		return err
	}
	region := picture.Chart{Title: "Above its line a formula fails", X: picture.Axis{Label: "δ", Log: true},
		Y: picture.Axis{Label: "ε = G(δ)", From: 4, To: 13}}
	keys := make([]picture.Key, len(classical))
	for m, c := range classical {
		style := picture.Style{Color: c.color, Line: picture.Solid}
		region.Lines = append(region.Lines, picture.Line{Style: style, X: deltas, Y: limits[m]})
		keys[m] = picture.Key{Name: c.name, Style: style}
	}
	return s.Figure("failure_regions", picture.Figure{Panels: []picture.Panel{region, excess}, Keys: keys,
		Note: "exact values; right: δ = 1e-05 (solid), 0.001 (dashed)"})
}

// strokes[s] is the delta whose curves are drawn with stroke s.
var strokes = []float64{picture.Solid: 1e-5, picture.Dashed: 1e-3}

// excessDelta draws the true delta of classical noise, divided by the delta for which the noise was calibrated.
func excessDelta(s *experiment.Session) (picture.Chart, error) {
	chart := picture.Chart{
		Title: "True δ / promised δ", X: picture.Axis{Label: "ε", Log: true}, Y: picture.Axis{Label: "ratio", Log: true,
			From: 1e-3, To: 1e5},
	}
	table := experiment.Table{Columns: []string{"eps", "delta", "method", "sigma", "actualdelta", "ratio"}}
	epsilons := experiment.Grid(0.5, 100, s.Pick(81, 13))
	for _, c := range classical {
		for stroke, delta := range strokes {
			if delta == 0 {
				continue
			}
			line := picture.Line{Style: picture.Style{Color: c.color, Line: picture.Stroke(stroke)}, X: epsilons}
			for _, eps := range epsilons {
				sigma, actual, err := trueDelta(c.method, at(eps, delta))
				if err != nil {
					return chart, err
				}
				line.Y = append(line.Y, actual/delta)
				table.Add(eps, delta, string(c.method), sigma, actual, actual/delta)
			}
			chart.Lines = append(chart.Lines, line)
		}
	}
	chart.Lines = append(chart.Lines, picture.Line{
		Style: picture.Style{Color: picture.Gray, Line: picture.Dotted}, X: []float64{0.5, 100}, Y: []float64{1, 1},
	})
	return chart, s.Table("actualdelta", table)
}

// trueDelta returns the sigma of a formula, and the exact delta of noise with this sigma.
func trueDelta(m methods.Method, g calibrate.Guarantee) (sigma, delta float64, err error) {
	x, err := m.Formula(unit, g)
	if err != nil {
		return 0, 0, err
	}
	d, err := calibrate.Mechanism{Query: "q", Sens: unit, Sigma: x}.Delta(g.Epsilon)
	return float64(x), float64(d), err
}

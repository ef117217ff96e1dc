package main

import (
	"context"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// gainDeltas are the values of delta of the curves in the figure of gains.
var gainDeltas = []float64{1e-2, 1e-4, 1e-6, 1e-8, 1e-10}

var gainColors = []picture.Color{picture.Orange, picture.Green, picture.Black, picture.SkyBlue, picture.Purple}

// gains shows how much more variance the classical noise (Dwork & Roth 2014) has than the exact one, for epsilon up to
// 1, for which the classical formula is proven.
func gains(ctx context.Context, s *experiment.Session) error {
	table := experiment.Table{Columns: []string{"eps", "delta", "sigma_classical", "sigma_analytic", "variance_ratio",
		"removed"}}
	epsilons := experiment.Grid(1e-3, 1, s.Pick(61, 13))
	var noise, ratio []picture.Line
	for i, delta := range gainDeltas {
		sigma, err := sigmas(ctx, s, []methods.Method{methods.Dwork2014, methods.Analytic}, along(epsilons, delta))
		if err != nil {
			return err
		}
		r := make([]float64, len(epsilons))
		for j, eps := range epsilons {
			r[j] = square(sigma[0][j] / sigma[1][j])
			table.Add(eps, delta, sigma[0][j], sigma[1][j], r[j], 1-1/r[j])
		}
		style := picture.Style{Color: gainColors[i], Line: picture.Solid}
		noise = append(noise, picture.Line{Style: style, X: epsilons, Y: sigma[1]},
			picture.Line{Style: picture.Style{Color: gainColors[i], Line: picture.Dashed}, X: epsilons, Y: sigma[0]})
		ratio = append(ratio, picture.Line{Style: style, X: epsilons, Y: r})
	}
	third := picture.Style{Color: picture.Gray, Line: picture.Dotted}
	ratio = append(ratio, picture.Line{Style: third, X: []float64{1e-3, 1}, Y: []float64{1.5, 1.5}})
	if err := s.Table("gains", table); err != nil {
		return err
	}
	keys := deltaKeys(gainDeltas)
	keys = append(keys, picture.Key{Name: "dashed: classical", Style: picture.Style{Line: picture.Dashed}},
		picture.Key{Name: "a third of the variance", Style: third})
	epsilon := picture.Axis{Label: "ε", Log: true}
	return s.Figure("gains", picture.Figure{Keys: keys, Note: "exact values, sensitivity 1; classical: σ = √(2 " +
		"ln(1.25/δ))/ε", Panels: []picture.Panel{
		picture.Chart{Title: "Noise", X: epsilon, Y: picture.Axis{Label: "σ", Log: true}, Lines: noise},
		picture.Chart{Title: "Variance, classical / analytic", X: epsilon, Y: picture.Axis{Label: "ratio", Log: true},
			Lines: ratio},
	}})
}

func along(epsilons []float64, delta float64) (out []calibrate.Guarantee) {
	for _, eps := range epsilons {
		out = append(out, at(eps, delta))
	}
	return out
}

func deltaKeys(deltas []float64) (keys []picture.Key) {
	for i, d := range deltas {
		keys = append(keys, picture.Key{Name: "δ = " + experiment.Text(d),
			Style: picture.Style{Color: gainColors[i], Line: picture.Solid}})
	}
	return keys
}

func square(x float64) float64 { return x * x }

package main

import (
	"context"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/examples/internal/figure"
)

// gainDeltas are the values of delta in the figure of gains, one curve each.
var gainDeltas = []float64{1e-2, 1e-4, 1e-6, 1e-8, 1e-10}

var gainColors = []figure.Color{figure.Orange, figure.Green, figure.Black, figure.SkyBlue, figure.Purple}

// gains shows how much more variance the classical noise (Dwork & Roth 2014) has than the exact one, for epsilon up to
// 1, for which it is proven.
func gains(ctx context.Context, s *experiment.Session) error {
	table := experiment.Table{Columns: []string{"eps", "delta", "sigma_classical", "sigma_analytic", "variance_ratio",
		"removed"}}
	epsilons := experiment.Grid(1e-3, 1, s.Pick(61, 13))
	var noise, ratio []figure.Line
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
		style := figure.Style{Color: gainColors[i], Line: figure.Solid}
		noise = append(noise, figure.Line{Style: style, X: epsilons, Y: sigma[1]},
			figure.Line{Style: figure.Style{Color: gainColors[i], Line: figure.Dashed}, X: epsilons, Y: sigma[0]})
		ratio = append(ratio, figure.Line{Style: style, X: epsilons, Y: r})
	}
	third := figure.Style{Color: figure.Gray, Line: figure.Dotted}
	ratio = append(ratio, figure.Line{Style: third, X: []float64{1e-3, 1}, Y: []float64{1.5, 1.5}})
	if err := s.Table("gains", table); err != nil {
		return err
	}
	keys := deltaKeys(gainDeltas)
	keys = append(keys, figure.Key{Name: "dashed: classical", Style: figure.Style{Line: figure.Dashed}},
		figure.Key{Name: "a third of the variance", Style: third})
	epsilon := figure.Axis{Label: "ε", Log: true}
	return s.Figure("gains", figure.Figure{Keys: keys, Note: "exact values, sensitivity 1; classical: σ = √(2 " +
		"ln(1.25/δ))/ε", Panels: []figure.Panel{
		figure.Chart{Title: "Noise", X: epsilon, Y: figure.Axis{Label: "σ", Log: true}, Lines: noise},
		figure.Chart{Title: "Variance, classical / analytic", X: epsilon, Y: figure.Axis{Label: "ratio", Log: true},
			Lines: ratio},
	}})
}

func along(epsilons []float64, delta float64) (out []calibrate.Guarantee) {
	for _, eps := range epsilons {
		out = append(out, at(eps, delta))
	}
	return out
}

func deltaKeys(deltas []float64) (keys []figure.Key) {
	for i, d := range deltas {
		keys = append(keys, figure.Key{Name: "δ = " + experiment.Text(d),
			Style: figure.Style{Color: gainColors[i], Line: figure.Solid}})
	}
	return keys
}

func square(x float64) float64 { return x * x }

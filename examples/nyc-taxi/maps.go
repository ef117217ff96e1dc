package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// mapEpsilon is the epsilon of the maps. With it, sigma is 40.29 for the map of nearest junctions.
const mapEpsilon = 0.5

// maps draws the exact map, a noisy one and its estimates side by side (Balle & Wang 2018, Figures 2 and 5).
func (e *evaluation) maps(ctx context.Context, r releases) error {
	y, err := r.release(ctx, map[string]string{"epsilon": experiment.Text(mapEpsilon)})
	if err != nil {
		return err
	}
	x := make([][]float64, len(estimators))
	err = e.Each(ctx, "maps", len(estimators), func(ctx context.Context, i int) (err error) {
		if !(e.Quick && estimators[i].slow) {
			x[i], err = estimators[i].estimate(ctx, e.manhattan, y)
		}
		return err
	})
	if err != nil {
		return err
	}
	truth := e.truth[r.kind]
	high := ninetieth(truth) * 2
	scale := picture.Scale{High: high, Root: true}
	panel := func(title string, values []float64) picture.Panel {
		m := e.streets
		m.Title, m.Values, m.Scale = title, values, scale
		return m
	}
	f := picture.Figure{Columns: 6, Width: 3.1, Height: 8.2, Panels: []picture.Panel{panel("truth", truth)},
		Ramp: &picture.Ramp{Label: "events per junction", Scale: scale}}
	table := experiment.Table{Columns: []string{"map", "eps", "delta", "sigma", "estimator", "rmse", "rmse_clipped"}}
	for i, est := range estimators {
		if x[i] == nil {
			continue
		}
		plain, clipped := r.rmse(x[i])
		table.Add(r.name, mapEpsilon, delta, y.sigma, est.Name, plain, clipped)
		if est.Name != "zero" {
			f.Panels = append(f.Panels, panel(fmt.Sprintf("%s: %.2f", est.Name, plain), x[i]))
		}
	}
	zero, _ := r.rmse(make([]float64, len(truth)))
	f.Note = fmt.Sprintf("one release of public records by the pipeline, ε = %g, δ = %g, σ = %.2f, %s; numbers: RMSE "+
		"against the truth; all zeros: %.2f",
		mapEpsilon, delta, y.sigma, r.name, zero)
	if err := e.Table("maps_"+r.folder, table); err != nil {
		return err
	}
	return e.Figure("maps_"+r.folder, f)
}

// ninetieth returns the 90th percentile of the values, at least 1.
func ninetieth(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return max(sorted[len(sorted)*9/10], 1)
}

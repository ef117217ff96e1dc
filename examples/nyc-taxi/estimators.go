package main

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/examples/internal/figure"
)

// estimator is one denoising step with its name in a job, or a baseline.
type estimator struct {
	figure.Key
	method string
	args   denoise.Args
	// mapped says that the step uses the graph of the streets.
	mapped bool
	slow   bool
}

// estimators are the estimators in the figures. "zero" and "mean" give every junction the same value.
var estimators = []estimator{
	{Key: figure.Key{Name: "raw", Style: figure.Style{Color: figure.Black, Line: figure.Solid, Mark: figure.Circle}}},
	{Key: figure.Key{Name: "James-Stein", Style: figure.Style{Color: figure.Purple, Line: figure.Solid,
		Mark: figure.Circle}},
		method: "james-stein", args: denoise.Args{"positive_part": "false"}},
	{Key: figure.Key{Name: "soft threshold", Style: figure.Style{Color: figure.SkyBlue, Line: figure.Solid,
		Mark: figure.Ring}}, method: "soft-threshold"},
	{Key: figure.Key{Name: "tree wavelets", Style: figure.Style{Color: figure.Green, Line: figure.Solid,
		Mark: figure.Square}},
		method: "tree-wavelet", args: denoise.Args{"threshold": "universal", "trees": "1"}, mapped: true},
	{Key: figure.Key{Name: "40 trees, by level", Style: figure.Style{Color: figure.Green, Line: figure.Dashed,
		Mark: figure.Square}},
		method: "tree-wavelet", args: denoise.Args{"threshold": "level", "trees": "40"}, mapped: true},
	{Key: figure.Key{Name: "trend filter k = 0", Style: figure.Style{Color: figure.Blue, Line: figure.Solid,
		Mark: figure.Triangle}},
		method: "trend-filter", args: denoise.Args{"k": "0"}, mapped: true},
	{Key: figure.Key{Name: "trend filter k = 1", Style: figure.Style{Color: figure.Blue, Line: figure.Dashed,
		Mark: figure.Triangle}},
		method: "trend-filter", args: denoise.Args{"k": "1"}, mapped: true, slow: true},
	{Key: figure.Key{Name: "trend filter k = 2", Style: figure.Style{Color: figure.Blue, Line: figure.Dotted,
		Mark: figure.Triangle}},
		method: "trend-filter", args: denoise.Args{"k": "2"}, mapped: true, slow: true},
	{Key: figure.Key{Name: "tree ensemble", Style: figure.Style{Color: figure.Vermilion, Line: figure.Solid,
		Mark: figure.Circle}},
		method: "tree-ensemble", mapped: true},
	{Key: figure.Key{Name: "mean", Style: figure.Style{Color: figure.Gray, Line: figure.Dashed}}},
	{Key: figure.Key{Name: "zero", Style: figure.Style{Color: figure.Gray, Line: figure.Dotted}}},
}

// estimate returns the estimate from the noisy counts of a release.
func (e estimator) estimate(ctx context.Context, c *manhattan, r noisy) ([]float64, error) {
	if e.method == "" {
		return e.baseline(r), nil
	}
	step, err := denoise.New(e.method, e.args)
	if err == nil && e.mapped {
		step, err = denoise.WithGraph(step, c.roads)
	}
	if err == nil {
		step, err = denoise.Bind(step, denoise.Shape{Dims: []int{len(r.values)}, Ordered: []bool{false}})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	fit, err := denoise.Estimate(ctx, r.values, r.sigma, []denoise.Step{step})
	return fit.X, err
}

// baseline returns the noisy counts, their mean, or 0.
func (e estimator) baseline(r noisy) []float64 {
	x := make([]float64, len(r.values))
	switch e.Name {
	case "raw":
		copy(x, r.values)
	case "mean":
		sum := 0.0
		for _, y := range r.values {
			sum += y
		}
		for i := range x {
			x[i] = sum / float64(len(x))
		}
	}
	return x
}

// noisy is a released map.
type noisy struct {
	values []float64
	sigma  float64
}

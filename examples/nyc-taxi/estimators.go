package main

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/report/picture"
)

// estimator is a denoising step, named as in a job, or a baseline to compare with.
type estimator struct {
	picture.Key
	method string
	args   denoise.Args
	// mapped is true if the step uses the graph of the streets.
	mapped bool
	slow   bool
}

// estimators are the estimators in the figures. "zero" and "mean" give every junction the same value.
var estimators = []estimator{
	{Key: picture.Key{Name: "raw", Style: picture.Style{Color: picture.Black, Line: picture.Solid, Mark: picture.Circle}}},
	{Key: picture.Key{Name: "James-Stein", Style: picture.Style{Color: picture.Purple, Line: picture.Solid,
		Mark: picture.Circle}},
		method: "james-stein", args: denoise.Args{"positive_part": "false"}},
	{Key: picture.Key{Name: "soft threshold", Style: picture.Style{Color: picture.SkyBlue, Line: picture.Solid,
		Mark: picture.Ring}}, method: "soft-threshold"},
	{Key: picture.Key{Name: "tree wavelets", Style: picture.Style{Color: picture.Green, Line: picture.Solid,
		Mark: picture.Square}},
		method: "tree-wavelet", args: denoise.Args{"threshold": "universal", "trees": "1"}, mapped: true},
	{Key: picture.Key{Name: "40 trees, by level", Style: picture.Style{Color: picture.Green, Line: picture.Dashed,
		Mark: picture.Square}},
		method: "tree-wavelet", args: denoise.Args{"threshold": "level", "trees": "40"}, mapped: true},
	{Key: picture.Key{Name: "trend filter k = 0", Style: picture.Style{Color: picture.Blue, Line: picture.Solid,
		Mark: picture.Triangle}},
		method: "trend-filter", args: denoise.Args{"k": "0"}, mapped: true},
	{Key: picture.Key{Name: "trend filter k = 1", Style: picture.Style{Color: picture.Blue, Line: picture.Dashed,
		Mark: picture.Triangle}},
		method: "trend-filter", args: denoise.Args{"k": "1"}, mapped: true, slow: true},
	{Key: picture.Key{Name: "trend filter k = 2", Style: picture.Style{Color: picture.Blue, Line: picture.Dotted,
		Mark: picture.Triangle}},
		method: "trend-filter", args: denoise.Args{"k": "2"}, mapped: true, slow: true},
	{Key: picture.Key{Name: "tree ensemble", Style: picture.Style{Color: picture.Vermilion, Line: picture.Solid,
		Mark: picture.Circle}},
		method: "tree-ensemble", mapped: true},
	{Key: picture.Key{Name: "mean", Style: picture.Style{Color: picture.Gray, Line: picture.Dashed}}},
	{Key: picture.Key{Name: "zero", Style: picture.Style{Color: picture.Gray, Line: picture.Dotted}}},
}

// estimate applies the estimator to a release.
func (e estimator) estimate(ctx context.Context, c *manhattan, r noisy) ([]float64, error) {
	if e.method == "" {
		return e.baseline(r), nil
	}
	step, err := denoise.New(e.method, e.args)
	if err == nil && e.mapped {
		step, err = step.WithGraph(c.roads)
	}
	if err == nil {
		step, err = step.Bind(denoise.Shape{Dims: []int{len(r.values)}, Ordered: []bool{false}})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	fit, err := denoise.Estimate(ctx, r.values, r.sigma, []*denoise.Step{step})
	return fit.X, err
}

// baseline returns the baseline's estimate: the noisy counts themselves, their mean everywhere, or 0 everywhere.
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

// noisy holds the noisy counts of a release.
type noisy struct {
	values []float64
	sigma  float64
}

package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"

	"github.com/dprelease/dprelease/examples/internal/example"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// The delta of the job, and its sensitivity: a cab counts in at most five events, which may all be at one junction.
const (
	delta       = 1e-6
	sensitivity = 5.0
	bandwidth   = 150.0 // in metres; kernel.yaml has the same number
)

// evaluate compares releases of the public records with the truth: maps, the sweep over epsilon, and the two ways to
// build a map.
func evaluate(ctx context.Context, at example.At, s *experiment.Session) error {
	e, err := newEvaluation(at, s)
	if err != nil {
		return err
	}
	if err := e.sensitivities(); err != nil {
		return err
	}
	if err := e.run(ctx, nearestMap, e.maps); err != nil {
		return err
	}
	if err := e.run(ctx, kernelMap, e.maps); err != nil {
		return err
	}
	return e.run(ctx, nearestMap, e.sweep)
}

// kind is a way to assign events to junctions, with its job and its output folder.
type kind struct{ name, job, folder string }

var (
	nearestMap = kind{"nearest junction", "evaluate.yaml", "evaluation"}
	kernelMap  = kind{"unit-mass kernel, 150 m", "kernel.yaml", "kernel"}
)

// evaluation is one hour of the city and its exact map.
type evaluation struct {
	*experiment.Session
	*manhattan
	at    example.At
	truth map[kind][]float64
}

func newEvaluation(at example.At, s *experiment.Session) (*evaluation, error) {
	data := filepath.Join(at.Dir, "data")
	city, err := readCity(data)
	if err != nil {
		return nil, err
	}
	day, hour := "2013-01-01", "00"
	if given, ok := at.Params["day"]; ok {
		day = given
	}
	if given, ok := at.Params["hour"]; ok {
		hour = given
	}
	events, err := eventsOf(data, day+" "+hour, city.places)
	if err != nil {
		return nil, err
	}
	s.Say("truth: %d events near %d junctions, %s %s h", len(events), len(city.places), day, hour)
	return &evaluation{s, city, at, map[kind][]float64{
		nearestMap: city.histogram(events), kernelMap: city.spread(events, bandwidth),
	}}, nil
}

// releases makes releases of one kind of map.
type releases struct {
	*evaluation
	kind
	source *example.Evaluation
}

func (e *evaluation) run(ctx context.Context, k kind, what func(context.Context, releases) error) error {
	source, err := example.Evaluate(ctx, filepath.Join(e.at.Dir, k.job), filepath.Join(e.at.Dir, "out", k.folder))
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // nothing is lost: each entry of the ledger is durable
	return what(ctx, releases{e, k, source})
}

// release makes a release with these parameters and the day and hour of the evaluation.
func (r releases) release(ctx context.Context, params map[string]string) (noisy, error) {
	all := maps.Clone(params)
	maps.Copy(all, r.at.Params)
	release, err := r.source.Release(ctx, all)
	if err != nil {
		return noisy{}, err
	}
	answer := release.Results()[0].Answer
	y := noisy{values: make([]float64, answer.Cells)}
	if len(y.values) != len(r.places) {
		return noisy{}, fmt.Errorf("the release has %d cells, not %d", len(y.values), len(r.places))
	}
	answer.Noisy(0, y.values)
	var one [1]float64
	answer.Sigma(0, one[:])
	y.sigma = one[0]
	return y, nil
}

// rmse returns the root mean squared error of x, and of x with negative values replaced by 0.
func (r releases) rmse(x []float64) (plain, clipped float64) {
	for i, f := range r.truth[r.kind] {
		plain += (x[i] - f) * (x[i] - f)
		y := max(x[i], 0)
		clipped += (y - f) * (y - f)
	}
	n := float64(len(x))
	return math.Sqrt(plain / n), math.Sqrt(clipped / n)
}

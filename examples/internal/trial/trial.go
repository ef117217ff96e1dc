// Package trial measures the error of private mechanisms on invented data, with and without denoising, as the
// experiments of Balle & Wang 2018 and Zhao et al. 2019 do.
package trial

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// Setup describes an experiment: how data is invented, a query on the data, and a measure of the error.
type Setup struct {
	// Name seeds the random numbers.
	Name string
	// Truth draws a table and returns the exact answer, which has d numbers.
	Truth func(r *rand.Rand, d int) []float64
	// L1 and L2 return the L1 and the L2 sensitivity of the query in dimension d.
	L1, L2 func(d int) float64
	// Error returns the error of an estimate: its distance from the truth.
	Error func(truth, estimate []float64) float64
}

// Point is one setting at which mechanisms are measured: epsilon, delta, dimension and number of repetitions.
type Point struct {
	Eps, Delta float64
	D, Reps    int
}

// Result is the error of a mechanism at a point.
type Result struct {
	Point
	Mechanism string
	// Noise is the standard deviation of Gaussian noise, or the scale of Laplace noise.
	Noise float64
	Error experiment.Moments
}

// block is the number of repetitions in one task. Each task has its own random generator.
const block = 25

// Run measures the mechanisms at each point. The results of a point are next to each other.
func (s Setup) Run(ctx context.Context, session *experiment.Session, points []Point, mechanisms []Mechanism) ([]Result,
	error) {
	var tasks []task
	for i, p := range points {
		noise, err := s.noise(p, mechanisms)
		if err != nil {
			return nil, err
		}
		for first := 0; first < p.Reps; first += block {
			tasks = append(tasks, task{point: i, first: first, noise: noise})
		}
	}
	moments := make([][]experiment.Moments, len(tasks))
	err := session.Each(ctx, s.Name, len(tasks), func(ctx context.Context, i int) error {
		var err error
		moments[i], err = s.repeat(ctx, points[tasks[i].point], mechanisms, tasks[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(points)*len(mechanisms))
	for i, p := range points {
		for m, mechanism := range mechanisms {
			r := Result{Point: p, Mechanism: mechanism.Name}
			for k, t := range tasks {
				if t.point == i {
					r.Noise = t.noise[m]
					r.Error.Merge(moments[k][m])
				}
			}
			results = append(results, r)
		}
	}
	return results, nil
}

// task is a block of repetitions at one point: point is the point's index, first the number of the first repetition.
type task struct {
	point, first int
	noise        []float64
}

// noise returns how much noise each mechanism needs at a point.
func (s Setup) noise(p Point, mechanisms []Mechanism) ([]float64, error) {
	out := make([]float64, len(mechanisms))
	g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(p.Eps), Delta: calibrate.Delta(p.Delta)}
	for i, m := range mechanisms {
		switch {
		case m.Laplace:
			out[i] = s.L1(p.D) / p.Eps
		case m.Method != "":
			sigma, err := m.Method.Sigma(calibrate.Sensitivity{L2: s.L2(p.D), Why: "the experiment's"}, g)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
			out[i] = float64(sigma)
		}
	}
	return out, nil
}

// repeat runs one block. Mechanisms with the same noise get the same noisy answer, so that estimators are compared on
// equal terms.
func (s Setup) repeat(ctx context.Context, p Point, mechanisms []Mechanism, t task) ([]experiment.Moments, error) {
	r := experiment.Random(fmt.Sprintf("%s %g %g %d", s.Name, p.Eps, p.Delta, p.D), t.first)
	out := make([]experiment.Moments, len(mechanisms))
	for rep := t.first; rep < min(t.first+block, p.Reps); rep++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		truth := s.Truth(r, p.D)
		noisy := map[Mechanism][]float64{}
		for i, m := range mechanisms {
			if m.Every > 1 && rep%m.Every != 0 {
				continue
			}
			source := Mechanism{Method: m.Method, Laplace: m.Laplace}
			if noisy[source] == nil {
				noisy[source] = source.answer(r, truth, t.noise[i])
			}
			out[i].Add(s.Error(truth, m.Denoise.apply(noisy[source], t.noise[i])))
		}
	}
	return out, nil
}

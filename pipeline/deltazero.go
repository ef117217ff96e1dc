package pipeline

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// This file plans releases with delta 0: what a job may not ask of them, and how their epsilon is split over the
// queries.

// deltaZeroProblem is something in a job that does not go with delta 0, at a path below its query or, if that is empty,
// at the query.
type deltaZeroProblem struct{ Path, Message, Hint string }

const deltaRemedy = "set privacy.delta far below 1 / number of units, such as 1e-6"

// deltaZeroProblems says what in a query does not go with delta 0.
func deltaZeroProblems(q *configs.Query, components []query.Component,
	steps []*denoise.Step) (out []deltaZeroProblem) {
	add := func(path, message, hint string) { out = append(out, deltaZeroProblem{path, message, hint}) }
	discovers := slices.ContainsFunc(components, func(c query.Component) bool { return c.Keys > 0 })
	switch {
	case q.Histogram != nil && q.Histogram.Noise == "auto":
		add("histogram.noise", "cells share noise in the way that is best for Gaussian noise, which needs a delta above 0",
			"remove noise, or "+deltaRemedy)
	case discovers:
		add("", "keys cannot be discovered with delta 0: a key that one unit alone has is published with a probability, "+
			"which is a part of delta", "list the keys (values), or "+deltaRemedy)
	case slices.ContainsFunc(components, func(c query.Component) bool { return c.L1 == 0 }):
		add("", "its noise is shared by tables or sums in the way that is best for Gaussian noise, which needs a delta "+
			"above 0", "ask for histograms, or "+deltaRemedy)
	}
	if q.Sensitivity != "" {
		add("sensitivity", "is an L2 sensitivity, and noise with delta 0 goes by the L1 norm",
			"leave it out: the L1 sensitivity follows from the bounds")
	}
	if q.Accuracy != nil {
		add("accuracy", "does not go with delta 0: the least epsilon for it is worked out for Gaussian noise",
			"use max_error, which checks a half-width, or "+deltaRemedy)
	}
	for _, s := range steps {
		if s != nil && needsGaussian(s.Name()) {
			add("denoise", s.Name()+" is for Gaussian noise, and that with delta 0 is geometric or Laplace",
				"remove the step, or "+deltaRemedy)
		}
	}
	return out
}

func needsGaussian(method string) bool {
	return slices.ContainsFunc(denoise.Methods(), func(m denoise.Method) bool { return m.Name == method && m.KnownNoise })
}

// pureAsks are what the components of a query ask of epsilon, by its weight.
func pureAsks(query string, weight float64, components []query.Component) (out []calibrate.PureAsk) {
	for _, c := range components {
		out = append(out, calibrate.PureAsk{
			Query: manifest.MechanismName(query,
				c.Name), Why: c.WhyL1, L1: c.L1, Cost: weight * c.Cost, Quantum: c.Quantum, RowBound: c.RowBound,
		})
	}
	return out
}

// Compared is Gaussian noise of the same epsilon, beside that with delta 0.
type Compared struct {
	// Delta is the one that Gaussian noise would have, and Mu its parameter for all queries together.
	Delta float64      `json:"delta"`
	Mu    calibrate.Mu `json:"mu"`
	// Deviations are its standard deviations in the queries' first components, in the same order as the mechanisms that
	// were compared.
	Deviations []float64 `json:"standard_deviations"`
}

// comparedDelta is a usual delta.
const comparedDelta = 1e-6

// compareDelta returns what Gaussian noise with a small delta would be at the same epsilon, for queries with these
// weights and components, shared out as jobs with such a delta share it.
func compareDelta(epsilon calibrate.Epsilon, weights []float64, components [][]query.Component) (Compared, error) {
	g := calibrate.Guarantee{Epsilon: epsilon, Delta: comparedDelta}
	c := Compared{Delta: comparedDelta}
	var err error
	if c.Mu, err = calibrate.GaussianMu(g); err != nil {
		return c, err
	}
	var asks []calibrate.Ask
	for i, ofQuery := range components {
		total := 0.0
		for _, p := range ofQuery {
			total += p.Weight
		}
		for j, p := range ofQuery {
			asks = append(asks, calibrate.Ask{
				Query: fmt.Sprint(i, "/",
					j), Sens: p.Sens, Weight: weights[i] * p.Weight / total, Quantum: p.Quantum, RowBound: p.RowBound,
			})
		}
	}
	ms, err := calibrate.Split(g, asks)
	if err != nil {
		return c, err
	}
	for _, m := range ms {
		c.Deviations = append(c.Deviations, m.Deviation())
	}
	return c, nil
}

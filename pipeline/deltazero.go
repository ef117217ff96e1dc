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

// This file plans releases with delta 0 (pure differential privacy): it refuses queries that cannot have delta 0, and
// splits epsilon over the queries.

// deltaZeroProblem describes a key of a query that excludes delta 0. Path is relative to the query; if it is empty, the
// query as a whole is the problem.
type deltaZeroProblem struct{ Path, Message, Hint string }

const deltaRemedy = "set privacy.delta far below 1 / number of units, such as 1e-6"

// deltaZeroProblems returns the problems of a query with delta 0.
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
		if s != nil && s.KnownNoise() {
			add("denoise", s.Name()+" is for Gaussian noise, and that with delta 0 is geometric or Laplace",
				"remove the step, or "+deltaRemedy)
		}
	}
	return out
}

// pureAsks returns the requests for epsilon of a query's components. The query's weight is divided among them.
func pureAsks(query string, weight float64, components []query.Component) (out []calibrate.PureAsk) {
	for _, c := range components {
		out = append(out, calibrate.PureAsk{
			Query: manifest.MechanismName(query,
				c.Name), Why: c.WhyL1, L1: c.L1, Cost: weight * c.Cost, Quantum: c.Quantum, RowBound: c.RowBound,
		})
	}
	return out
}

// Compared describes other noise at the plan's epsilon: with delta 0 if the plan's delta is above 0, and with a small
// delta if it is 0.
type Compared struct {
	// Delta is the delta of the other noise. Mu is the Gaussian-DP parameter of all queries together, as the ledger would
	// charge it.
	Delta calibrate.Delta `json:"delta"`
	Mu    calibrate.Mu    `json:"mu"`
	// Deviations are the standard deviations of the other noise, in the order of the plan's mechanisms.
	Deviations []float64 `json:"standard_deviations"`
}

// comparedDelta is the delta of the noise with which a plan of delta 0 is compared.
const comparedDelta = 1e-6

// compareDelta returns the Gaussian noise at the same epsilon with a small delta. It is split over the queries as in a
// job with that delta.
func compareDelta(epsilon calibrate.Epsilon, weights []float64, components [][]query.Component) *Compared {
	g := calibrate.Guarantee{Epsilon: epsilon, Delta: comparedDelta}
	mu, err := calibrate.GaussianMu(g)
	if err != nil {
		return nil
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
	ms, err := calibrate.SplitBudget(g, asks)
	return comparedOf(comparedDelta, mu, ms, err)
}

// comparePure returns the noise with delta 0 at the epsilon of a plan whose delta is above 0; nil if a query cannot
// have delta 0.
func (p *Plan) comparePure(weights []float64) *Compared {
	var pure []calibrate.PureAsk
	for i := range p.queries {
		q := &p.queries[i]
		if q.Search != nil || len(deltaZeroProblems(&p.job.Queries[i], q.Components, q.Steps)) > 0 {
			return nil
		}
		pure = append(pure, pureAsks(q.Query.Name(), weights[i], q.Components)...)
	}
	ms, err := calibrate.SplitPure(p.noise.Epsilon, pure)
	return comparedOf(0, calibrate.ComposedMu(ms), ms, err)
}

// comparedOf describes the noise of some mechanisms. It returns nil if err is set: then the job has no such noise.
func comparedOf(delta calibrate.Delta, mu calibrate.Mu, ms []calibrate.Mechanism, err error) *Compared {
	if err != nil {
		return nil
	}
	c := &Compared{Delta: delta, Mu: mu}
	for _, m := range ms {
		c.Deviations = append(c.Deviations, m.Deviation())
	}
	return c
}

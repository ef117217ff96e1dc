package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// RunPlan holds the queries of a plan with the choices that one run made from noisy values: the selected keys, and the
// clamps and row bounds that it found. The plan itself never changes.
type RunPlan struct {
	plan    *Plan
	queries []Planned
}

// NewRun starts a run: it returns a copy of the plan's queries that can record the run's choices.
func (p *Plan) NewRun() *RunPlan { return &RunPlan{p, slices.Clone(p.queries)} }

// Queries returns the queries in the job's order.
func (c *RunPlan) Queries() []Planned { return c.queries }

// TakeKeys sets the keys of query i, which its leader selected.
func (c *RunPlan) TakeKeys(i int, keys []string) (err error) {
	q := &c.queries[i]
	follower, ok := q.Query.(query.KeyFollower)
	if !ok {
		return fmt.Errorf("query %s takes no keys from another query: it lists or selects its own", q.Query.Name())
	}
	q.Query, err = follower.WithKeys(keys)
	return err
}

// TakeSearchResult sets the clamp or row bound that was found for query i.
func (c *RunPlan) TakeSearchResult(i int, found query.SearchResult) error {
	q := &c.queries[i]
	with, err := q.Search.With(found, q.Mechanisms, c.plan.adjacency)
	if err != nil {
		return err
	}
	q.Search, q.Query, q.Components, q.Mechanisms = with.Search, with.Query, with.Components, with.Mechanisms
	return nil
}

// mechanismsOf returns the mechanisms of all given queries, in order.
func mechanismsOf(planned []Planned) (ms []calibrate.Mechanism) {
	for i := range planned {
		ms = append(ms, planned[i].All()...)
	}
	return ms
}

// Release makes the public result of a run: it denoises the noisy vectors and computes the published answers.
// noisy[i][j] is component j of query i. It returns an error if a vector is a rehearsal's.
func (c *RunPlan) Release(ctx context.Context, noisy [][]mechanism.Noisy, program manifest.Program, workers int,
	o Observer) (*Release, error) {
	for _, vectors := range noisy {
		if slices.ContainsFunc(vectors, mechanism.Noisy.IsSynthetic) {
			return nil, InsideError("release", errors.New("a vector answers nothing: it was made for a rehearsal"))
		}
	}
	return c.release(ctx, noisy, program, math.MaxInt, workers, o)
}

// release makes a release with the first maxCells cells of each table. It omits the denoising and the margins of longer
// vectors, which need all cells.
func (c *RunPlan) release(ctx context.Context, noisy [][]mechanism.Noisy, program manifest.Program, maxCells,
	workers int, o Observer) (*Release, error) {
	results, err := c.finishQueries(ctx, noisy, maxCells, workers, o)
	if err != nil {
		return nil, InsideError("denoise", err)
	}
	m := c.Manifest(program)
	for i := range m.Queries {
		m.Queries[i].Cells = results[i].cells // if keys were discovered, the number of cells was unknown before
		if p := m.Queries[i].Publish; p != nil {
			p.Withheld, p.Complementary = results[i].Withheld, results[i].Complementary
		}
		results[i].Places = c.queries[i].places
	}
	return &Release{manifest: m, formats: c.plan.job.Output.Formats, rawCSV: c.plan.job.Output.CSV.Raw, results: results,
		presented: c.plan.job.Output.Presented()}, nil
}

// finishQueries makes the published answers from the noisy vectors:
//
//  1. denoise the first component of each query
//  2. applyMargins: make margins agree (consistentmargins.go)
//  3. mergeEqualVectors: combine the vectors that several queries measured (samerows.go)
//  4. finish the queries: columns and intervals
//  5. withhold small cells, compute rates, round
func (c *RunPlan) finishQueries(ctx context.Context, noisy [][]mechanism.Noisy, maxCells, workers int,
	o Observer) ([]Result, error) {
	whole := true
	results, estimates := make([]Result, len(noisy)), make([][]mechanism.Noisy, len(noisy))
	for i := range noisy {
		q := &c.queries[i]
		results[i] = Result{Name: q.Query.Name(), Sparse: q.Sparse}
		// Only the first component of a mean, the sums, is denoised: the noise of a quotient depends on its value.
		estimates[i] = slices.Clone(noisy[i])
		if slices.ContainsFunc(noisy[i], func(n mechanism.Noisy) bool { return n.Len() > maxCells }) {
			whole = false
			continue
		}
		results[i].LooksEmpty = q.Query.LooksEmpty(noisy[i])
		d := denoising{steps: q.Steps, noisy: noisy[i][0], scale: q.Components[0].Scale, partial: len(q.Components) > 1 ||
			q.Selected(), run: c.denoiseRun(i, workers, o)}
		if err := d.estimate(ctx, &estimates[i][0], &results[i]); err != nil {
			return nil, err
		}
	}
	if whole {
		if err := c.applyMargins(estimates, results); err != nil {
			return nil, err
		}
	}
	for i := range noisy {
		q, note, err := c.mergeEqualVectors(i, noisy, maxCells)
		if err != nil {
			return nil, err
		}
		answer, err := q.Finish(ctx, noisy[i], estimates[i])
		if err != nil {
			return nil, err
		}
		if note != "" {
			results[i].Notes = append(results[i].Notes, note)
		}
		results[i].cells = answer.Cells
		results[i].Answer = beginning(answer, maxCells)
	}
	c.withhold(ctx, results)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i := range results {
		answer := c.withRates(i, results)
		if c.rounds(i) {
			answer = rounded(answer)
		}
		results[i].Answer = answer
	}
	o.Progress(StageDenoise, percent*len(noisy), percent*len(noisy))
	return results, nil
}

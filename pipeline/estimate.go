package pipeline

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/mechanism"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Release makes the public result of a run: it denoises the noisy vectors, noisy[i][j] of component j of query i,
// and finishes the queries. Only noisy values that answer something become a release: it refuses vectors of a
// rehearsal.
func (c *RunPlan) Release(ctx context.Context, noisy [][]mechanism.Noisy, program manifest.Program, workers int,
	o Observer) (*Release, error) {
	for _, vectors := range noisy {
		if slices.ContainsFunc(vectors, mechanism.Noisy.IsSynthetic) {
			return nil, InsideError("release", errors.New("a vector answers nothing: it was made for a rehearsal"))
		}
	}
	return c.release(ctx, noisy, program, math.MaxInt, workers, o)
}

// release makes a result with at most the first most cells of each table. Denoising and margins of longer vectors are
// omitted, since they need all cells.
func (c *RunPlan) release(ctx context.Context, noisy [][]mechanism.Noisy, program manifest.Program, most, workers int,
	o Observer) (*Release, error) {
	results, err := c.finishQueries(ctx, noisy, most, workers, o)
	if err != nil {
		return nil, InsideError("denoise", err)
	}
	m := c.Manifest(program)
	for i := range m.Queries {
		m.Queries[i].Cells = results[i].cells // the number of discovered keys is known now
		if p := m.Queries[i].Publish; p != nil {
			p.Withheld = results[i].Withheld
		}
		results[i].Places = c.queries[i].places
	}
	return &Release{manifest: m, formats: c.plan.job.Output.Formats, rawCSV: c.plan.job.Output.CSV.Raw, results: results,
		presented: c.plan.job.Output.Presented()}, nil
}

// finishQueries makes the published answers from the noisy vectors:
//
//  1. denoise the first component of each query
//  2. applyMargins: make margins agree (margins.go)
//  3. mergeEqualVectors: merge the vectors that several queries measured (samerows.go)
//  4. finish the queries: columns and intervals
//  5. withhold small cells, compute rates, round
func (c *RunPlan) finishQueries(ctx context.Context, noisy [][]mechanism.Noisy, most, workers int, o Observer) ([]Result,
	error) {
	whole := true
	results, estimates := make([]Result, len(noisy)), make([][]mechanism.Noisy, len(noisy))
	for i := range noisy {
		q := &c.queries[i]
		results[i] = Result{Name: q.Query.Name(), Sparse: q.Sparse}
		// Only the first component of a mean, the numerators, is denoised: a quotient's noise is not independent of its
		// value.
		estimates[i] = slices.Clone(noisy[i])
		if slices.ContainsFunc(noisy[i], func(n mechanism.Noisy) bool { return n.Len() > most }) {
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
		q, note, err := c.mergeEqualVectors(i, noisy, most)
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
		results[i].Answer, results[i].Withheld = c.queries[i].rule.Apply(beginning(answer, most))
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

// percent is the number of progress steps of one query's denoising.
const percent = 100

// denoiseRun returns how the steps of a query are carried out.
func (c *RunPlan) denoiseRun(query, workers int, o Observer) denoise.Run {
	total := percent * len(c.queries)
	o.Progress(StageDenoise, percent*query, total)
	return denoise.Run{Workers: workers, Progress: func(done, of int) {
		o.Progress(StageDenoise, percent*query+percent*done/max(of, 1), total)
	}}
}

// denoising is the treatment of one vector. If the vector is only part of an answer, or of selected keys, its error is
// not known.
type denoising struct {
	steps   []*denoise.Step
	noisy   mechanism.Noisy
	scale   float64
	partial bool
	run     denoise.Run
}

// mostTried is the number of cells up to which the expected error of an estimate is computed: that repeats the steps,
// and takes several copies of the vector. It is not known for noise that is not Gaussian.
const mostTried = 1 << 22

// estimate runs the steps, and returns their choices and the expected accuracy of the result.
func (d denoising) estimate(ctx context.Context, to *mechanism.Noisy, r *Result) (err error) {
	if len(d.steps) == 0 {
		return nil
	}
	if *to, r.Notes, err = applySteps(ctx, d.noisy, denoise.WithRuns(d.steps, d.run)); err != nil {
		return err
	}
	if d.partial || d.noisy.Len() > mostTried || !d.noisy.Normal() {
		return nil
	}
	y := make([]float64, d.noisy.Len())
	d.noisy.Fill(0, y)
	risk, err := denoise.ExpectedError(ctx, y, d.noisy.Mechanism().Deviation(),
		denoise.WithRuns(d.steps, denoise.Run{Workers: d.run.Workers}))
	if err != nil {
		return err
	}
	r.Expected = &manifest.Error{RMSE: d.scale * risk.RMSE, Low: d.scale * risk.Low, High: d.scale * risk.High}
	return nil
}

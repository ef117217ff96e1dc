package pipeline

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries"
)

// answer reads the input, adds the noise and denoises: what it returns first is public, the input's digest is not.
func (a *attempt) answer(ctx context.Context, engine Engine) (*Release, []byte, error) {
	if s, ok := engine.(Scratcher); ok {
		s.UseScratch(a.staging())
	}
	exact, err := engine.Aggregate(ctx, a.plan, a.Observer)
	if err != nil {
		return nil, nil, InputError(err)
	}
	if err := a.judge(exact.Checks); err != nil {
		return nil, nil, err
	}
	a.drawn = true
	noisy, err := a.noise(ctx, exact.Exacts)
	if err != nil {
		return nil, nil, insideError("noise", err)
	}
	results, err := a.results(ctx, noisy)
	if err != nil {
		return nil, nil, insideError("denoise", err)
	}
	return a.plan.release(results, a.Program), exact.Input, nil
}

// judge keeps what the engine saw for the operator, and refuses unusable columns if it is asked to.
func (a *attempt) judge(seen *DataChecks) error {
	a.checks = seen
	switch {
	case !a.refuse:
		return nil
	case seen == nil || !seen.All():
		return &Error{
			Cause: CauseInside, Code: "internal", Message: "the engine does not look at all rows, and cannot refuse unusable columns",
			Hint: "run without --data-checks=refuse",
		}
	}
	return UnusableError(Unusable(a.plan.Findings(seen)), "nothing is released and nothing is spent; release check --data JOB shows what becomes of the rows")
}

// UnusableError is the failed check of columns that are unusable; nil if there are none.
func UnusableError(found configs.Diagnostics, hint string) error {
	if len(found) == 0 {
		return nil
	}
	return &Error{Cause: CauseCheck, Code: "data", Message: "a release would be noise about nothing", Hint: hint, Err: found}
}

// noise adds each part's noise under the receipt.
func (a *attempt) noise(ctx context.Context, exacts [][]mechanism.Exact) ([][]mechanism.Noisy, error) {
	out := make([][]mechanism.Noisy, len(exacts))
	for i, parts := range exacts {
		a.Observer.Progress(StageNoise, i, len(exacts))
		for j, exact := range parts {
			n, err := a.noisy(ctx, exact, &a.plan.queries[i], j)
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], n)
		}
	}
	a.Observer.Progress(StageNoise, len(exacts), len(exacts))
	return out, nil
}

// noisy adds the noise of a part; if its keys are private they are selected.
func (a *attempt) noisy(ctx context.Context, exact mechanism.Exact, q *Planned, part int) (mechanism.Noisy, error) {
	if q.Selection != nil {
		s := *q.Selection
		s.Mechanism = q.charged(part)
		return exact.Select(ctx, a.receipt, s, a.Workers)
	}
	return exact.Noise(ctx, a.receipt, q.charged(part), a.Workers)
}

// results denoises every part and finishes the queries.
func (a *attempt) results(ctx context.Context, noisy [][]mechanism.Noisy) ([]Result, error) {
	results, estimates := make([]Result, len(noisy)), make([][]mechanism.Noisy, len(noisy))
	for i := range noisy {
		q := &a.plan.queries[i]
		results[i] = Result{Name: q.Query.Name(), Sparse: q.Sparse, Nothing: queries.Nothing(q.Query, noisy[i])}
		// Of a mean's parts only the first, the numerators, is denoised: a quotient's noise is not independent of its value.
		estimates[i] = slices.Clone(noisy[i])
		d := denoising{steps: q.Steps, noisy: noisy[i][0], scale: q.Components[0].Scale, partial: len(q.Components) > 1 || q.selected(), run: a.denoiseRun(i)}
		if err := d.estimate(ctx, &estimates[i][0], &results[i]); err != nil {
			return nil, err
		}
	}
	if err := a.plan.agree(estimates, results); err != nil {
		return nil, err
	}
	for i := range noisy {
		var err error
		if results[i].Answer, err = a.plan.queries[i].Query.Finish(noisy[i], estimates[i]); err != nil {
			return nil, err
		}
	}
	a.Observer.Progress(StageDenoise, percent*len(noisy), percent*len(noisy))
	return results, nil
}

// percent is how many steps of progress one query's denoising is.
const percent = 100

// denoiseRun is how the steps of a query are carried out.
func (a *attempt) denoiseRun(query int) denoise.Run {
	total := percent * len(a.plan.queries)
	a.Observer.Progress(StageDenoise, percent*query, total)
	return denoise.Run{Workers: a.Workers, Progress: func(done, of int) {
		a.Observer.Progress(StageDenoise, percent*query+percent*done/max(of, 1), total)
	}}
}

// denoising is what is done to one vector. Of a partial one no error is known: it is only part of the answer, or of a
// selection.
type denoising struct {
	steps   []denoise.Step
	noisy   mechanism.Noisy
	scale   float64
	partial bool
	run     denoise.Run
}

// mostTried is the number of cells up to which the expected error of an estimate is worked out: that takes the steps again, and
// several copies of the vector.
const mostTried = 1 << 22

// estimate carries the steps out and says what they chose and how accurate the result will be.
func (d denoising) estimate(ctx context.Context, to *mechanism.Noisy, r *Result) (err error) {
	if len(d.steps) == 0 {
		return nil
	}
	if *to, r.Notes, err = denoise.ApplyNoted(ctx, d.noisy, denoise.WithRuns(d.steps, d.run)); err != nil {
		return err
	}
	if d.partial || d.noisy.Len() > mostTried {
		return nil
	}
	y := make([]float64, d.noisy.Len())
	d.noisy.Fill(0, y)
	risk, err := denoise.ExpectedError(ctx, y, d.noisy.Mechanism().Deviation(), denoise.WithRuns(d.steps, denoise.Run{Workers: d.run.Workers}))
	if err != nil {
		return err
	}
	r.Expected = &manifest.Error{RMSE: d.scale * risk.RMSE, Low: d.scale * risk.Low, High: d.scale * risk.High}
	return nil
}

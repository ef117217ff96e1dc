package pipeline

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/mechanism"
)

// answer reads the input, adds the noise and denoises: what it returns first is public, the input's digest is not.
func (a *attempt) answer(ctx context.Context, engine Engine) (*Release, []byte, error) {
	exact, err := engine.Aggregate(ctx, a.plan, a.Observer)
	if err != nil {
		return nil, nil, InputError(err)
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

// noise adds each part's noise under the receipt.
func (a *attempt) noise(ctx context.Context, exacts [][]mechanism.Exact) ([][]mechanism.Noisy, error) {
	out := make([][]mechanism.Noisy, len(exacts))
	for i, parts := range exacts {
		a.Observer.Progress(StageNoise, i, len(exacts))
		for j, exact := range parts {
			n, err := exact.Noise(ctx, a.receipt, a.plan.queries[i].Mechanisms[j], a.Workers)
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], n)
		}
	}
	a.Observer.Progress(StageNoise, len(exacts), len(exacts))
	return out, nil
}

// results denoises every part and finishes the queries.
func (a *attempt) results(ctx context.Context, noisy [][]mechanism.Noisy) ([]Result, error) {
	results := make([]Result, len(noisy))
	for i := range noisy {
		a.Observer.Progress(StageDenoise, i, len(noisy))
		q := &a.plan.queries[i]
		// Of a mean's parts only the first, the numerators, is denoised: a quotient's noise is not independent of its value.
		estimates := slices.Clone(noisy[i])
		estimate, err := denoise.Apply(ctx, noisy[i][0], q.Steps)
		if err != nil {
			return nil, err
		}
		estimates[0] = estimate
		answer, err := q.Query.Finish(noisy[i], estimates)
		if err != nil {
			return nil, err
		}
		results[i] = Result{Name: q.Query.Name(), Answer: answer, Sparse: q.Sparse}
	}
	a.Observer.Progress(StageDenoise, len(noisy), len(noisy))
	return results, nil
}

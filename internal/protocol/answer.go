package protocol

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline"
)

// answer reads the input, adds the noise and denoises. The release is public; the input's digest, its second result, is
// private.
func (a *attempt) answer(ctx context.Context, engine pipeline.Engine) (*pipeline.Release, []byte, error) {
	if s, ok := engine.(pipeline.Scratcher); ok {
		s.UseScratch(a.staging())
	}
	exact, err := engine.Aggregate(ctx, a.plan, a.Observer)
	if err != nil {
		return nil, nil, pipeline.InputError(err)
	}
	defer exact.Close()
	if err := a.judge(exact.Checks); err != nil {
		return nil, nil, err
	}
	a.chosen = a.plan.NewRun()
	a.drawn = true
	noisy, err := a.noise(ctx, exact.Exacts)
	if err != nil {
		return nil, nil, pipeline.InsideError("noise", err)
	}
	release, err := a.chosen.Release(ctx, noisy, a.program(), a.Workers, a.Observer)
	return release, exact.Input, err
}

// judge keeps the engine's checks for the operator. It fails if columns are unusable and the run refuses them.
func (a *attempt) judge(seen *pipeline.DataChecks) error {
	a.checks = seen
	if !a.refuse {
		return nil
	}
	if seen == nil || !seen.All() {
		return &pipeline.Error{
			Cause: pipeline.CauseInside, Code: "internal", Message: "the engine does not look at all rows, and cannot refuse " +
				"unusable columns",
			Hint: "run with --data-checks=off",
		}
	}
	unusable := pipeline.Unusable(a.plan.Findings(seen))
	if len(unusable) == 0 {
		return nil
	}
	return pipeline.UnusableError(unusable,
		"nothing is released and nothing is spent; release check --data JOB shows what becomes of the rows")
}

// noise adds each component's noise under the receipt.
func (a *attempt) noise(ctx context.Context, exacts [][]mechanism.Exact) ([][]mechanism.Noisy, error) {
	out := make([][]mechanism.Noisy, len(exacts))
	for done, i := range a.plan.LeadersFirst() {
		a.Observer.Progress(pipeline.StageNoise, done, len(exacts))
		components, err := a.giveKeys(i, exacts[i], out)
		if err != nil {
			return nil, err
		}
		q := &a.chosen.Queries()[i]
		if q.Search != nil {
			if components, err = a.choose(ctx, i, components); err != nil {
				return nil, err
			}
			a.Observer.Progress(pipeline.StageNoise, done, len(exacts))
		}
		for j, exact := range components {
			n, err := a.noisy(ctx, exact, q, j)
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], n)
		}
	}
	a.Observer.Progress(pipeline.StageNoise, len(exacts), len(exacts))
	return out, nil
}

// giveKeys passes the keys that another query selected to a query that waits for them. The exact answers are then the
// answers of these keys.
func (a *attempt) giveKeys(i int, components []mechanism.Exact, noisy [][]mechanism.Noisy) (chosen []mechanism.Exact,
	err error) {
	leader, follows := a.chosen.Queries()[i].Leader()
	if !follows {
		return components, nil
	}
	selected := noisy[leader][0]
	if err := a.chosen.TakeKeys(i, selected.Keys()); err != nil {
		return nil, err
	}
	chosen = make([]mechanism.Exact, len(components))
	for j := range components {
		if chosen[j], err = components[j].ForKeys(selected); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// choose finds the clamp or the bound on rows of a query. It adds noise to the histogram, which is the last component,
// and chooses from the noisy values. It returns the exact answers under the choice.
func (a *attempt) choose(ctx context.Context, i int, components []mechanism.Exact) ([]mechanism.Exact, error) {
	q := &a.chosen.Queries()[i]
	s := q.Search
	last := len(components) - 1
	histogram, err := mechanism.AddNoise(ctx, components[last], a.receipt, s.Charged(), a.Workers)
	if err != nil {
		return nil, err
	}
	found, err := s.Find(histogram, q.Mechanisms, a.plan.Adjacency())
	if err != nil {
		return nil, err
	}
	if err := a.chosen.TakeSearchResult(i, found); err != nil {
		return nil, err
	}
	chosen := slices.Clone(components[:last])
	return chosen, s.Choose(chosen, found.Range())
}

// noisy adds the noise of a component; if its keys are private they are selected.
func (a *attempt) noisy(ctx context.Context, exact mechanism.Exact, q *pipeline.Planned,
	component int) (mechanism.Noisy, error) {
	if q.Selection != nil {
		s := *q.Selection
		s.Mechanism = q.Charged(component)
		return mechanism.SelectKeys(ctx, exact, a.receipt, s, a.Workers)
	}
	return mechanism.AddNoise(ctx, exact, a.receipt, q.Charged(component), a.Workers)
}

// percent is the number of progress steps of writing a release.
const percent = 100

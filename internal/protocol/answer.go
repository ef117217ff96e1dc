package protocol

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline"
)

// answer reads the input, adds the noise and denoises. It returns the release, which is public, and the input's digest,
// which is private.
func (a *attempt) answer(ctx context.Context, engine pipeline.Engine) (*pipeline.Release, []byte, error) {
	if s, ok := engine.(pipeline.Scratcher); ok {
		s.UseScratch(a.staging())
	}
	exact, err := engine.Aggregate(ctx, a.plan, a.Observer)
	if err != nil {
		return nil, nil, pipeline.InputError(err)
	}
	defer exact.Close()
	if err := a.checkData(exact.Checks); err != nil {
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

// checkData stores the engine's data checks for the operator. It fails if they show that a column is unusable and the
// run was asked to fail then.
func (a *attempt) checkData(seen *pipeline.DataChecks) error {
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

// noise adds noise to each component of each query, under the receipt.
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
			if components, err = a.chooseClamp(ctx, i, components); err != nil {
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

// giveKeys completes query i, which counts in the keys that another query selects. It gives these keys to query i and
// returns the query's exact answers for them.
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

// chooseClamp finds the clamp of query i, or its bound on rows, privately: it adds noise to the histogram, which is the
// last component, and chooses by the noisy counts. It returns the exact answers under this choice.
func (a *attempt) chooseClamp(ctx context.Context, i int, components []mechanism.Exact) ([]mechanism.Exact, error) {
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

// noisy adds noise to a component. If the component's keys are private, it also selects the keys to publish.
func (a *attempt) noisy(ctx context.Context, exact mechanism.Exact, q *pipeline.Planned,
	component int) (mechanism.Noisy, error) {
	if q.Selection != nil {
		s := *q.Selection
		s.Mechanism = q.Charged(component)
		return mechanism.SelectKeys(ctx, exact, a.receipt, s, a.Workers)
	}
	return mechanism.AddNoise(ctx, exact, a.receipt, q.Charged(component), a.Workers)
}

// percent is the number of steps in which the progress of writing a release is reported.
const percent = 100

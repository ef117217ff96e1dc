package protocol

import (
	"context"
	"errors"
	"math/big"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/clampsearch"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// rerender makes another rendering of a published release from its noisy values, which are public. It reads no row and
// charges nothing.
//
// The order is: stage, record in the ledger, publish. If a run is interrupted before the record, the next run discards
// the staging folder. If it is interrupted after the record, the next run publishes the staging folder (repeat), or
// makes the rendering again.
func (a *attempt) rerender(ctx context.Context) (*Outcome, error) {
	prior := a.prior
	if err := a.checkVacant(ctx, a.dir); err != nil {
		return nil, err
	}
	dir, m, digest, err := a.source(ctx, &prior)
	if err != nil {
		return nil, err
	}
	release, err := a.present(ctx, dir, &m, digest)
	if err != nil {
		return nil, err
	}
	staging := stagingOf(a.dir, a.plan.Rendering(), prior.Charge.Number)
	if err := errors.Join(a.Sink.Discard(staging), a.Sink.Prepare(staging)); err != nil {
		return nil, pipeline.OutputError(err)
	}
	staged, err := a.stage(ctx, staging, "", release)
	if err != nil {
		return nil, errors.Join(err, pipeline.OutputError(a.Sink.Discard(staging)))
	}
	ctx = context.WithoutCancel(ctx)
	if err := a.recordRerendering(ctx, &prior, staged); err != nil {
		return nil, err
	}
	moved, err := a.replace(ctx, staging, a.dir)
	if err != nil {
		return nil, err
	}
	if moved != "" && dir == a.dir {
		dir = moved
	}
	a.Observer.Progress(pipeline.StagePublish, percent, percent)
	return &Outcome{Status: StatusRerendered, Dir: a.dir, Digest: staged, Moved: moved, Release: release,
		Queries: a.chosen.Queries(), From: dir}, nil
}

func (a *attempt) recordRerendering(ctx context.Context, of *ledger.Run, digest string) error {
	d := ledger.Rerendering{Rendering: a.plan.Rendering(), Release: digest, Dir: a.dir, Job: a.plan.Name()}
	return pipeline.LedgerError("record the re-rendering", a.Book.Rerender(ctx, of.Charge.Run, of.Charge.Number, d))
}

// present makes the plan's release from the noisy values of the published release in dir.
func (a *attempt) present(ctx context.Context, dir string, m *manifest.Manifest, digest string) (*pipeline.Release,
	error) {
	c := &a.prior.Charge
	proof, err := a.Book.Publication(ctx, c.Run, c.Number)
	if err != nil {
		return nil, pipeline.LedgerError("read the publication", err)
	}
	adopted, err := a.plan.Adopt(*c)
	if err != nil {
		return nil, &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "incomplete-source", Hint: hintIncomplete, Err: err,
			Message: "this job was released by another version of this program, with other sensitivities or noise than " +
				"this one would take",
		}
	}
	if adopted, err = adopted.WithDataChecksOf(m); err != nil {
		return nil, a.notReadBack(ctx, err)
	}
	a.plan, a.chosen = adopted, adopted.NewRun()
	if err := a.adoptSearchResults(m); err != nil {
		return nil, a.notReadBack(ctx, err)
	}
	noisy, err := a.readBack(ctx, dir, m, digest, proof)
	if err != nil {
		return nil, err
	}
	release, err := a.chosen.Release(ctx, noisy, a.program(), a.Workers, a.Observer)
	if err != nil {
		return nil, err
	}
	release.MakeFrom(digest)
	release.SignBy(a.Signer)
	return release, a.addLedgerFacts(ctx, release, new(big.Float))
}

// adoptSearchResults gives the plan's queries the clamps and bounds that the published release m has found.
func (a *attempt) adoptSearchResults(m *manifest.Manifest) error {
	for i, q := range a.plan.Queries() {
		if q.Search == nil {
			continue
		}
		found, ok := clampsearch.ResultOf(&m.Queries[i])
		if !ok {
			return errors.New(m.Queries[i].Name + ": its clamp or its bound on rows is not stated")
		}
		if err := a.chosen.TakeSearchResult(i, found); err != nil {
			return err
		}
	}
	return nil
}

// readBack reads the noisy vectors of the published release in dir, whose manifest is m and has that digest.
func (a *attempt) readBack(ctx context.Context, dir string, m *manifest.Manifest, digest string,
	proof ledger.Publication) ([][]mechanism.Noisy, error) {
	planned := a.chosen.Queries()
	out := make([][]mechanism.Noisy, len(planned))
	for _, i := range a.plan.LeadersFirst() {
		if leader, follows := planned[i].Leader(); follows {
			if err := a.chosen.TakeKeys(i, out[leader][0].Keys()); err != nil {
				return nil, a.notReadBack(ctx, err)
			}
		}
		q := &planned[i]
		columns, err := a.Sink.Columns(ctx, dir, &m.Queries[i])
		if err != nil {
			return nil, a.notReadBack(ctx, err)
		}
		grids := make([]float64, len(q.Mechanisms))
		for j := range q.Mechanisms {
			grids[j] = q.Mechanisms[j].Grid
		}
		found, err := q.Query.Recover(columns, grids)
		if err != nil {
			return nil, a.notReadBack(ctx, errors.Join(errors.New(m.Queries[i].Name), err))
		}
		for j := range q.Mechanisms {
			var n mechanism.Noisy
			if q.Selected() {
				s := *q.Selection
				s.Mechanism = q.Charged(j)
				n, err = mechanism.PublishedKeys(proof, digest, s, found.Keys, found.Multiples[j])
			} else {
				n, err = mechanism.Published(proof, digest, q.Charged(j), found.Multiples[j])
			}
			if err != nil {
				return nil, pipeline.InsideError("read the noisy values back", err)
			}
			out[i] = append(out[i], n)
		}
	}
	return out, nil
}

func (a *attempt) notReadBack(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "incomplete-source", Hint: hintIncomplete, Err: err,
		Message: "this job is released in another rendering, whose noisy values cannot be read back exactly",
	}
}

package protocol

import (
	"context"
	"errors"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

// repeat returns a release that is already published in the plan's rendering: the same bytes, at no cost, without
// opening the input.
func (a *attempt) repeat(ctx context.Context) (*Outcome, error) {
	is := a.same[0]
	if err := a.compareInput(ctx, &is.run); err != nil {
		return nil, err
	}
	o := &Outcome{Status: StatusAlready, Dir: a.dir, Digest: is.digest}
	digest, err := a.Sink.Inspect(ctx, a.dir)
	switch {
	case err == nil && digest == is.digest:
		return o, nil
	case errors.Is(err, pipeline.ErrNoRelease), err == nil && a.ours[digest]:
		return a.restore(ctx, is, o)
	case errors.Is(err, pipeline.ErrIncomplete) && a.dir == is.dir:
		return nil, &pipeline.Error{Cause: pipeline.CauseOutput, Code: "altered",
			Message: "the published release was changed", Hint: hintAltered, Err: err}
	case err == nil, errors.Is(err, pipeline.ErrIncomplete):
		return nil, occupied(a.dir, err)
	default:
		return nil, pipeline.OutputError(err)
	}
}

// restore makes a publication available in the folder that this run requests. It takes the bytes from the folder in
// which they were published or to which they were moved, or from the staging folder of an interrupted run. If a
// re-rendering is lost, restore makes it again from the same noisy values.
func (a *attempt) restore(ctx context.Context, is publication, o *Outcome) (_ *Outcome, err error) {
	from, err := a.find(ctx, is.dir, is.digest)
	if err == nil {
		o.Status = StatusCopied
		if o.Moved, err = a.moveAside(ctx, a.dir); err != nil {
			return nil, err
		}
		return o, pipeline.OutputError(a.Sink.Copy(ctx, from, a.dir))
	}
	if pruned := is.pruned(); pruned != nil && !is.rerendered {
		return nil, pruned
	}
	if !is.rerendered {
		return nil, &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: codeLost, Hint: hintLost, Err: err,
			Message: "this release was published to " + is.dir + ", and is not there unchanged any more",
		}
	}
	staging := stagingOf(is.dir, a.plan.Rendering(), is.run.Charge.Number)
	if _, digest, err := a.Sink.Staged(ctx, staging); err == nil && digest == is.digest {
		o.Status = StatusFinished
		o.Moved, err = a.replace(context.WithoutCancel(ctx), staging, a.dir)
		return o, err
	}
	a.prior = is.run
	return a.rerender(ctx)
}

// pruned returns the error for a publication whose folder was deleted on purpose; nil if it was not.
func (p *publication) pruned() error {
	at, pruned := p.run.Pruned[p.digest]
	if !pruned {
		return nil
	}
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "pruned", Hint: hintLost, Message: "this release was " +
		"published to " + p.dir + ", and release prune deleted its folder on " + at.UTC().Format(time.DateOnly)}
}

const hintAltered = "restore the folder from a copy; or move it away and pay for a new release with --new-release"

// compareInput returns an error if the input has changed since the release with, or cannot be compared with its input.
// It does nothing unless the operator asks for it.
func (a *attempt) compareInput(ctx context.Context, with *ledger.Run) error {
	if !a.compare {
		return nil
	}
	engine, err := a.Open(ctx)
	if errors.Is(err, pipeline.ErrInputGone) {
		return &pipeline.Error{
			Cause: pipeline.CauseInput, Code: "input-gone", Message: "the input is not there, so it was not compared with " +
				"that of the release",
			Hint: "bring the input back to compare it; without --compare-input a run returns the release without reading any " +
				"input",
		}
	}
	if err != nil {
		return pipeline.InputError(err)
	}
	defer engine.Close()
	input, err := engine.Digest(ctx, a.plan, a.Observer)
	if err != nil {
		return pipeline.InputError(err)
	}
	fingerprint, err := a.Book.Fingerprint(ctx, input)
	if err != nil {
		return pipeline.LedgerError("fingerprint the input", err)
	}
	if fingerprint != with.Digests.Input {
		return &pipeline.Error{
			Cause: pipeline.CauseInput, Code: "input-changed", Message: "this release is published, and the input has changed " +
				"since",
			Hint: "keep the published release; or pay for another one of the changed input with --new-release",
		}
	}
	return nil
}

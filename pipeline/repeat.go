package pipeline

import (
	"context"
	"errors"
)

// repeat answers a run whose release is published: the same bytes, nothing spent. A changed input is refused.
func (a *attempt) repeat(ctx context.Context) (*Outcome, error) {
	gone, err := a.compareInput(ctx)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Status: StatusAlready, Dir: a.dir, Digest: a.prior.Digests.Release, InputGone: gone}
	digest, err := a.Sink.Inspect(ctx, a.dir)
	switch {
	case err == nil && digest == o.Digest:
		return o, nil
	case errors.Is(err, ErrNoRelease):
		o.Status = StatusCopied
		return o, a.copyPublished(ctx)
	case errors.Is(err, ErrIncomplete) && a.dir == a.prior.Charge.Dir:
		return nil, &Error{Cause: CauseOutput, Code: "altered", Message: "the published release was changed", Hint: hintAltered, Err: err}
	case err == nil, errors.Is(err, ErrIncomplete):
		return nil, a.occupied(err)
	default:
		return nil, OutputError(err)
	}
}

const hintAltered = "restore the folder from a copy; or move it away and pay for a new release with --new-release"

// compareInput reports whether the input is gone; a changed one is an error.
func (a *attempt) compareInput(ctx context.Context) (gone bool, err error) {
	engine, err := a.Open(ctx)
	if errors.Is(err, ErrInputGone) {
		return true, nil
	}
	if err != nil {
		return false, InputError(err)
	}
	defer engine.Close()
	input, err := engine.Digest(ctx, a.plan, a.Observer)
	if err != nil {
		return false, InputError(err)
	}
	fingerprint, err := a.Book.Fingerprint(ctx, input)
	if err != nil {
		return false, LedgerError("fingerprint the input", err)
	}
	if fingerprint != a.prior.Digests.Input {
		return false, &Error{
			Cause: CauseInput, Code: "input-changed", Message: "this release is published, and the input has changed since",
			Hint: "keep the published release; or pay for another one of the changed input with --new-release",
		}
	}
	return false, nil
}

// copyPublished puts the published bytes into the folder that this run asks for.
func (a *attempt) copyPublished(ctx context.Context) error {
	from := a.prior.Charge.Dir
	digest, err := a.Sink.Inspect(ctx, from)
	if err != nil || digest != a.prior.Digests.Release {
		return &Error{
			Cause: CauseOutput, Code: codeLost, Hint: hintLost, Err: err,
			Message: "this release was published to " + from + ", and is not there unchanged any more",
		}
	}
	if err := a.Sink.Copy(ctx, from, a.dir); err != nil {
		return OutputError(err)
	}
	return nil
}

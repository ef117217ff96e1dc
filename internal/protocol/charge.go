package protocol

import (
	"context"
	"errors"

	"github.com/dprelease/dprelease/pipeline"
)

// charge checks that the release can be written, then reserves its spend durably.
func (a *attempt) charge(ctx context.Context) error {
	if a.Announce != nil {
		standing, err := a.standing(ctx)
		if err != nil {
			return err
		}
		if err := a.Announce(standing); err != nil {
			return err
		}
	}
	a.Observer.Progress(pipeline.StageCharge, 0, 1)
	// A run that was killed before its reservation may have left an empty staging folder.
	if err := a.Sink.Discard(a.staging()); err != nil {
		return pipeline.OutputError(err)
	}
	if err := a.Sink.Prepare(a.staging()); err != nil {
		return pipeline.OutputError(err)
	}
	if err := a.reserve(ctx); err != nil {
		_ = a.Sink.Discard(a.staging())
		return err
	}
	a.Observer.Progress(pipeline.StageCharge, 1, 1)
	return nil
}

// reserve charges the run. A run that is already reserved is resumed as recorded: only the charged mechanisms may be
// drawn, even if another version of the program would calibrate them differently.
func (a *attempt) reserve(ctx context.Context) (err error) {
	if !a.reserved() {
		charge := a.plan.Charge(a.dir, a.number())
		charge.Input = a.version
		a.receipt, err = a.Book.Charge(ctx, charge)
		return pipeline.LedgerError("charge", err)
	}
	receipt, recorded, err := a.Book.Resume(ctx, a.plan.Fingerprint(), a.number())
	if err != nil {
		return pipeline.LedgerError("resume the reservation", err)
	}
	plan, err := a.plan.Adopt(recorded)
	if err != nil {
		return pipeline.LedgerError("resume the reservation", err)
	}
	a.plan, a.receipt = plan, receipt
	return nil
}

// abandon cleans up after a failure. It cancels the reservation only if no noise can have been drawn under it, by this
// run or an earlier one; otherwise the next run resumes it.
func (a *attempt) abandon(ctx context.Context, cause error) error {
	ctx = context.WithoutCancel(ctx)
	if err := a.Sink.Discard(a.staging()); err != nil {
		cause = errors.Join(cause, pipeline.OutputError(err))
	}
	if a.drawn || a.reserved() {
		return cause
	}
	if err := a.Book.Cancel(ctx, a.receipt); err != nil {
		cause = errors.Join(cause, pipeline.LedgerError("cancel the reservation", err))
	}
	return cause
}

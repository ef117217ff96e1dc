package protocol

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/dprelease/dprelease/pipeline"
)

// Resuming an interrupted run
//
// A complete staging folder is sealed unchanged, and a sealed release is published unchanged (finishEarlier). An
// incomplete staging folder is deleted, and noise is drawn again under the same charge (reserve in charge.go): nobody
// has seen the first noise. next.go decides which of these a run does.

// finishEarlier seals a complete staging folder that an earlier run left, and publishes a sealed release. If the files
// of a sealed release are lost, it returns an error, unless a new release is requested.
func (a *attempt) finishEarlier(ctx context.Context) error {
	if a.reserved() {
		if err := a.sealStaged(ctx); err != nil {
			return err
		}
	}
	if !a.sealed() {
		return nil
	}
	err := a.publishSealed(ctx)
	var failed *pipeline.Error
	if errors.As(err, &failed) && failed.Code == codeLost && a.newRelease {
		a.forsaken = true
		return nil
	}
	a.finished = err == nil
	return err
}

// sealStaged seals a complete staging folder unchanged, and deletes an incomplete one.
func (a *attempt) sealStaged(ctx context.Context) error {
	staging := a.staging()
	note, digest, err := a.Sink.Staged(ctx, staging)
	switch {
	case errors.Is(err, pipeline.ErrNoRelease), errors.Is(err, pipeline.ErrIncomplete):
		return pipeline.OutputError(a.Sink.Discard(staging))
	case err != nil:
		return pipeline.OutputError(err)
	}
	if ok, err := a.checkMAC(ctx, staging, note, digest); !ok || err != nil {
		return err
	}
	if digest, err = a.signStaged(ctx, staging, note, digest); err != nil {
		return err
	}
	// The release's noise was drawn under this reservation, even if this version of the program would draw other noise.
	if a.receipt, _, err = a.Book.Resume(ctx, a.plan.Fingerprint(), a.number()); err != nil {
		return pipeline.LedgerError("resume the reservation", err)
	}
	seal := sealOf(note)
	seal.Release = digest
	if err := a.seal(ctx, seal); err != nil {
		return err
	}
	return a.lookup(ctx)
}

// publishSealed publishes the sealed release, unless it was renamed to its place before the crash. A release in another
// rendering than the plan's is published at the folder for which it was reserved.
func (a *attempt) publishSealed(ctx context.Context) error {
	own := a.prior.Charge.Dir
	for _, dir := range []string{a.dir, own} {
		if digest, err := a.Sink.Inspect(ctx, dir); err == nil && digest == a.prior.Digests.Release {
			if err := a.Sink.Discard(a.staging()); err != nil {
				return pipeline.OutputError(err)
			}
			return a.recordPublished(ctx, dir)
		}
	}
	_, digest, err := a.Sink.Staged(ctx, a.staging())
	if err != nil || digest != a.prior.Digests.Release {
		// If the release was exchanged into a third folder, that folder's older release is in the staging folder: move
		// it out.
		if _, err := a.Sink.EndExchange(a.staging()); err != nil {
			return pipeline.OutputError(err)
		}
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: codeLost,
			Message: "a sealed release was changed or removed before it was published", Hint: hintElsewhere, Err: err}
	}
	dir := a.dir
	if !a.hasRendering(&a.prior) && own != dir {
		dir = own
		unlock, err := a.lockFolder(ctx, dir)
		if err != nil {
			return err
		}
		defer unlock()
	}
	if a.hasRendering(&a.prior) {
		if err := a.checkSigned(filepath.Join(a.staging(), stagedName)); err != nil {
			return err
		}
	}
	if err := a.checkVacant(ctx, dir); err != nil {
		return err
	}
	if _, err := a.replace(ctx, a.staging(), dir); err != nil {
		return err
	}
	return a.recordPublished(ctx, dir)
}

// recordPublished records that the sealed release is visible at dir.
func (a *attempt) recordPublished(ctx context.Context, dir string) error {
	if err := a.Book.PublishAt(ctx, a.plan.Fingerprint(), a.prior.Charge.Number, a.folderIfOther(dir)); err != nil {
		return pipeline.LedgerError("record the publication", err)
	}
	return a.lookup(ctx)
}

const codeLost = "lost"

// hintElsewhere is for a release that may be at a third folder: a run that was killed just after it renamed the release
// has not recorded the folder.
const hintElsewhere = "if a run with another name or folder was killed, repeat that run: it finds the release in its " +
	"folder; else " +
	hintLost

const hintLost = "restore the folder from a copy, or pay for a new release with --new-release"

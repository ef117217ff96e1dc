package protocol

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// stagingOf returns the staging folder of a release: a sibling of its folder, so that publishing is one rename.
func stagingOf(dir, run string, number int) string {
	return filepath.Join(filepath.Dir(dir), fmt.Sprintf(".staging-%s-%.12s-%d", filepath.Base(dir), run, number))
}

// staging stays where the reservation first put it, whatever folder a later run asks for.
func (a *attempt) staging() string {
	dir := a.dir
	if a.reserved() || a.sealed() {
		dir = a.prior.Charge.Dir
	}
	return stagingOf(dir, a.plan.Run(), a.number())
}

// tidy finishes re-renderings that were cut short, and removes an incomplete staging folder of a release that a later
// run will make.
func (a *attempt) tidy(ctx context.Context) error {
	for _, staging := range a.rerenderStagings {
		if _, err := a.Sink.Settle(staging); err != nil {
			return pipeline.OutputError(err)
		}
	}
	if a.waiting == "" {
		return nil
	}
	_, _, err := a.Sink.Staged(ctx, a.waiting)
	if errors.Is(err, pipeline.ErrNoRelease) || errors.Is(err, pipeline.ErrIncomplete) {
		return pipeline.OutputError(a.Sink.Discard(a.waiting))
	}
	return nil
}

// settle finishes a complete release of an earlier run of the plan; it reports whether there was one.
func (a *attempt) settle(ctx context.Context) (finished bool, err error) {
	if a.reserved() {
		if err := a.sealStaged(ctx); err != nil {
			return false, err
		}
	}
	if !a.sealed() {
		return false, nil
	}
	return true, a.publishSealed(ctx)
}

// sealStaged seals a complete staging as it is, and deletes an incomplete one.
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
	// Its noise was drawn under the reservation, even if this version of the program would have drawn other noise.
	if a.receipt, _, err = a.Book.Resume(ctx, a.plan.Run(), a.number()); err != nil {
		return pipeline.LedgerError("take the reservation up", err)
	}
	seal := sealOf(note)
	seal.Release = digest
	if err := a.seal(ctx, seal); err != nil {
		return err
	}
	return a.lookup(ctx)
}

// checkMAC reports whether a complete staging was made by a run of this ledger for this release, by its MAC. If not,
// somebody may have planted it: it is deleted, and noise is drawn anew under the same charge. Nobody has seen the
// deleted noise, because only this user may read a staging.
func (a *attempt) checkMAC(ctx context.Context, staging, note, digest string) (bool, error) {
	mac, err := a.Sink.ReadMAC(staging)
	if err != nil {
		return false, pipeline.OutputError(err)
	}
	ok, err := a.Book.CheckStagingMAC(ctx, mac, a.plan.Run(), a.number(), note, digest)
	if ok || err != nil {
		return ok, pipeline.LedgerError("compare the staging's MAC", err)
	}
	a.discarded = true
	return false, pipeline.OutputError(a.Sink.Discard(staging))
}

// writeMAC writes the MAC of a complete staging of this run.
func (a *attempt) writeMAC(ctx context.Context, note, digest string) error {
	mac, err := a.Book.StagingMAC(ctx, a.plan.Run(), a.number(), note, digest)
	if err != nil {
		return pipeline.LedgerError("make the staging's MAC", err)
	}
	return pipeline.OutputError(a.Sink.WriteMAC(a.staging(), mac))
}

// noteOf returns the line beside a staged release: the facts that its seal needs and a later run cannot recompute.
func noteOf(d ledger.Digests) string { return d.Input + " " + d.Presentation }

// sealOf parses a line of noteOf.
func sealOf(note string) (d ledger.Digests) {
	d.Input, d.Presentation, _ = strings.Cut(note, " ")
	return d
}

// publishSealed publishes the sealed release, unless it was renamed before the crash. A release in another presentation
// than the plan's goes to its own folder.
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
		// it is published in a third folder, whose older release is here
		if _, err := a.Sink.Settle(a.staging()); err != nil {
			return pipeline.OutputError(err)
		}
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: codeLost,
			Message: "a sealed release was changed or removed before it was published", Hint: hintLost, Err: err}
	}
	dir := a.dir
	if !a.mine(&a.prior) && own != dir {
		dir = own
		unlock, err := a.lockFolder(ctx, dir)
		if err != nil {
			return err
		}
		defer unlock()
	}
	if a.mine(&a.prior) {
		if err := a.promised(filepath.Join(a.staging(), stagedName)); err != nil {
			return err
		}
	}
	if err := a.vacant(ctx, dir); err != nil {
		return err
	}
	if _, err := a.replace(ctx, a.staging(), dir); err != nil {
		return err
	}
	return a.recordPublished(ctx, dir)
}

const codeLost = "lost"

const hintLost = "restore the folder from a copy, or pay for a new release with --new-release"

// recordPublished records that the sealed release is visible at dir.
func (a *attempt) recordPublished(ctx context.Context, dir string) error {
	if err := a.Book.PublishAt(ctx, a.plan.Run(), a.prior.Charge.Number, a.elsewhere(dir)); err != nil {
		return pipeline.LedgerError("record the publication", err)
	}
	return a.lookup(ctx)
}

// elsewhere returns dir if it is not the folder that was reserved, else "".
func (a *attempt) elsewhere(dir string) string {
	if (a.reserved() || a.sealed()) && dir != a.prior.Charge.Dir {
		return dir
	}
	return ""
}

// charge makes sure that the release can be written, then reserves its spend durably.
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
	// A run that died before it was reserved may have left an empty staging folder.
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

// reserve charges the run. A run that is already reserved is resumed as it was recorded, even if another version of the
// program calibrated it differently: only the mechanisms that were charged may be drawn.
func (a *attempt) reserve(ctx context.Context) (err error) {
	if !a.reserved() {
		charge := a.plan.Charge(a.dir, a.number())
		charge.Input = a.version
		a.receipt, err = a.Book.Charge(ctx, charge)
		return pipeline.LedgerError("charge", err)
	}
	receipt, recorded, err := a.Book.Resume(ctx, a.plan.Run(), a.number())
	if err != nil {
		return pipeline.LedgerError("take the reservation up", err)
	}
	plan, err := a.plan.Adopt(recorded)
	if err != nil {
		return pipeline.LedgerError("take the reservation up", err)
	}
	a.plan, a.receipt = plan, receipt
	return nil
}

// abandon cleans up after a failure. The reservation is cancelled only if no noise can have been drawn under it, in
// this run or in the one that reserved it; else the next run takes it up again.
func (a *attempt) abandon(ctx context.Context, cause error) error {
	ctx = context.WithoutCancel(ctx)
	if err := a.Sink.Discard(a.staging()); err != nil {
		cause = errors.Join(cause, pipeline.OutputError(err))
	}
	if a.drawn || a.reserved() {
		return cause
	}
	if err := a.Book.Cancel(ctx, a.receipt); err != nil {
		cause = errors.Join(cause, pipeline.LedgerError("give the reservation back", err))
	}
	return cause
}

// showHead writes two things into the release: the ledger's mark, by which readers notice if the ledger lost its newest
// entries, and the account's published spend. mu2 is added to that spend for this release; it is 0 if the published
// releases already include it.
func (a *attempt) showHead(ctx context.Context, r *pipeline.Release, mu2 *big.Float) error {
	mark, err := a.Book.Mark(ctx)
	if err != nil {
		return pipeline.LedgerError("read the head", err)
	}
	balance, _, err := a.Book.Balance(ctx, a.plan.Account())
	if err != nil {
		return pipeline.LedgerError("read the account", err)
	}
	r.Account(manifest.Ledger{Head: mark.Head, MAC: mark.MAC}, manifest.ScopeOf(balance, mu2))
	return nil
}

// stage writes the release, complete and durable.
func (a *attempt) stage(ctx context.Context, staging, note string, r *pipeline.Release) (digest string, err error) {
	a.Observer.Progress(pipeline.StagePublish, 0, percent)
	digest, err = a.Sink.Stage(ctx, staging, note, r.Watched(a.Observer))
	return digest, pipeline.OutputError(err)
}

func (a *attempt) seal(ctx context.Context, d ledger.Digests) error {
	if err := a.Book.Seal(ctx, a.receipt, d); err != nil {
		return pipeline.LedgerError("seal", err)
	}
	return nil
}

// publish makes the sealed release visible. After the seal, a failure leaves everything in place for the next run.
func (a *attempt) publish(ctx context.Context) (moved string, err error) {
	ctx = context.WithoutCancel(ctx)
	if moved, err = a.replace(ctx, a.staging(), a.dir); err != nil {
		return moved, err
	}
	if err := a.Book.PublishAt(ctx, a.plan.Run(), a.number(), a.elsewhere(a.dir)); err != nil {
		return moved, pipeline.LedgerError("record the publication", err)
	}
	a.Observer.Progress(pipeline.StagePublish, percent, percent)
	return moved, nil
}

// replace publishes a staging folder at dir. If an earlier publication of this run is there, the two change places in
// one step, so that dir is never without a release, and the earlier one is then moved aside. If the system cannot
// exchange folders, the earlier one is moved aside first.
func (a *attempt) replace(ctx context.Context, staging, dir string) (moved string, err error) {
	if digest, err := a.Sink.Inspect(ctx, dir); err == nil && a.ours[digest] {
		switch err := a.Sink.Exchange(ctx, staging, dir, digest); {
		case err == nil:
			moved, err := a.Sink.Settle(staging)
			return moved, pipeline.OutputError(err)
		case !errors.Is(err, errors.ErrUnsupported):
			return "", pipeline.OutputError(err)
		}
	}
	if moved, err = a.moveAside(ctx, dir); err != nil {
		return "", err
	}
	if err := a.Sink.Publish(ctx, staging, dir); err != nil {
		return moved, pipeline.OutputError(err)
	}
	return moved, nil
}

// moveAside moves a publication of this run away from dir, and returns where to; "" if there is none.
func (a *attempt) moveAside(ctx context.Context, dir string) (moved string, err error) {
	if digest, err := a.Sink.Inspect(ctx, dir); err == nil && a.ours[digest] {
		if moved, err = a.Sink.Retire(dir, digest); err != nil {
			return "", pipeline.OutputError(err)
		}
	}
	return moved, nil
}

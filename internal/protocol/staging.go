package protocol

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

// Staging: the folder in which a release is written before anybody sees it
//
// A staging folder is beside the release's folder, and only this user can read it. It holds the release, a note with
// facts for the seal, and a MAC under the ledger's secret. The MAC is written last: a staging folder with a MAC is
// complete.

// stagingOf returns the staging folder of a release: a sibling of its folder, so that a single rename publishes it.
func stagingOf(dir, run string, number int) string {
	return filepath.Join(filepath.Dir(dir), fmt.Sprintf(".staging-%s-%.12s-%d", filepath.Base(dir), run, number))
}

// staging returns the staging folder. It stays where the reservation put it, even if a later run requests another
// folder.
func (a *attempt) staging() string {
	dir := a.dir
	if a.reserved() || a.sealed() {
		dir = a.prior.Charge.Dir
	}
	return stagingOf(dir, a.plan.Fingerprint(), a.number())
}

// tidy finishes interrupted re-renderings. It removes incomplete staging folders: of published re-renderings, of a
// release that a later run will make, and of runs that were killed before their reservation.
func (a *attempt) tidy(ctx context.Context) error {
	for _, staging := range a.rerenderStagings {
		if _, err := a.Sink.EndExchange(staging); err != nil {
			return pipeline.OutputError(err)
		}
		if err := a.discardIncomplete(ctx, staging); err != nil {
			return err
		}
	}
	if a.waiting != "" {
		if err := a.discardIncomplete(ctx, a.waiting); err != nil {
			return err
		}
	}
	// A run that was killed before its reservation left an empty folder. A run for another folder can have reserved the
	// release of this number since then, or nobody has.
	for number := 1; number <= a.own.Charge.Number+1; number++ {
		staging := stagingOf(a.dir, a.plan.Fingerprint(), number)
		if (a.reserved() || a.sealed()) && staging == a.staging() {
			continue // finishEarlier decides about it
		}
		if err := a.discardIncomplete(ctx, staging); err != nil {
			return err
		}
	}
	return nil
}

// discardIncomplete removes a staging folder that holds no complete release.
func (a *attempt) discardIncomplete(ctx context.Context, staging string) error {
	_, _, err := a.Sink.Staged(ctx, staging)
	if errors.Is(err, pipeline.ErrNoRelease) || errors.Is(err, pipeline.ErrIncomplete) {
		return pipeline.OutputError(a.Sink.Discard(staging))
	}
	return nil
}

// stage writes the release, complete and durable.
func (a *attempt) stage(ctx context.Context, staging, note string, r *pipeline.Release) (digest string, err error) {
	a.Observer.Progress(pipeline.StagePublish, 0, percent)
	digest, err = a.Sink.Stage(ctx, staging, note, r.WithProgress(a.Observer))
	return digest, pipeline.OutputError(err)
}

// noteOf returns the line that is stored with a staged release. It has the facts for the seal that a later run cannot
// compute.
func noteOf(d ledger.Digests) string { return d.Input + " " + d.Rendering }

// sealOf parses a line that noteOf returned.
func sealOf(note string) (d ledger.Digests) {
	d.Input, d.Rendering, _ = strings.Cut(note, " ")
	return d
}

// writeMAC writes the MAC of a complete staging of this run.
func (a *attempt) writeMAC(ctx context.Context, note, digest string) error {
	mac, err := a.Book.StagingMAC(ctx, a.plan.Fingerprint(), a.number(), note, digest)
	if err != nil {
		return pipeline.LedgerError("make the staging's MAC", err)
	}
	return pipeline.OutputError(a.Sink.WriteMAC(a.staging(), mac))
}

// checkMAC reports whether a run of this ledger wrote this release into the staging folder: the folder has the right
// MAC. If not, somebody may have planted the release, so the caller deletes it and draws noise anew under the same
// charge. Nobody has seen the deleted noise, because only this user may read a staging folder.
func (a *attempt) checkMAC(ctx context.Context, staging, note, digest string) (bool, error) {
	mac, err := a.Sink.ReadMAC(staging)
	if err != nil {
		return false, pipeline.OutputError(err)
	}
	ok, err := a.Book.CheckStagingMAC(ctx, mac, a.plan.Fingerprint(), a.number(), note, digest)
	if ok || err != nil {
		return ok, pipeline.LedgerError("compare the staging's MAC", err)
	}
	a.discarded = true
	return false, pipeline.OutputError(a.Sink.Discard(staging))
}

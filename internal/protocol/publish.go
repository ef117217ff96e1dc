package protocol

import (
	"context"
	"errors"
	"math/big"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// addLedgerFacts adds two facts to the release: a MAC of the ledger's newest entry, with which readers can detect that
// the ledger lost entries, and the account's published spend with this release. mu2 is the mu squared of this release;
// it is 0 if the ledger already counts the release as published.
func (a *attempt) addLedgerFacts(ctx context.Context, r *pipeline.Release, mu2 *big.Float) error {
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

func (a *attempt) seal(ctx context.Context, d ledger.Digests) error {
	if err := a.Book.Seal(ctx, a.receipt, d); err != nil {
		return pipeline.LedgerError("seal", err)
	}
	return nil
}

// publish makes the sealed release visible. If it fails, everything stays in place for the next run.
func (a *attempt) publish(ctx context.Context) (moved string, err error) {
	ctx = context.WithoutCancel(ctx)
	if moved, err = a.replace(ctx, a.staging(), a.dir); err != nil {
		return moved, err
	}
	if err := a.Book.PublishAt(ctx, a.plan.Fingerprint(), a.number(), a.folderIfOther(a.dir)); err != nil {
		return moved, pipeline.LedgerError("record the publication", err)
	}
	a.Observer.Progress(pipeline.StagePublish, percent, percent)
	return moved, nil
}

// folderIfOther returns dir if the release was reserved for another folder, otherwise "".
func (a *attempt) folderIfOther(dir string) string {
	if (a.reserved() || a.sealed()) && dir != a.prior.Charge.Dir {
		return dir
	}
	return ""
}

// replace publishes a staging folder at dir. If an earlier publication of this run is there, the two change places in
// one step, so that dir is never without a release, and the earlier one is then moved aside. If the system cannot
// exchange folders, the earlier one is moved aside first.
func (a *attempt) replace(ctx context.Context, staging, dir string) (moved string, err error) {
	if digest, err := a.Sink.Inspect(ctx, dir); err == nil && a.ours[digest] {
		switch err := a.Sink.Exchange(ctx, staging, dir, digest); {
		case err == nil:
			moved, err := a.Sink.EndExchange(staging)
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

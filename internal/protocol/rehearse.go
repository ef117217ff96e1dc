package protocol

import (
	"context"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// rehearse makes the whole release once, from synthetic vectors, before the charge, so that a release that cannot be
// made or written costs nothing. It reports a panic as a bug, without its text.
func (a *attempt) rehearse(ctx context.Context) (err error) {
	defer func() {
		if recover() != nil {
			err = &pipeline.Error{
				Cause: pipeline.CauseInside, Code: "internal", Message: "the release of this job cannot be made",
				Hint: "nothing was spent; release preview JOB shows the same fault on synthetic rows: please report it with the " +
					"job",
			}
		}
	}()
	quote, err := a.Book.Quote(ctx, a.plan.Charge(a.dir, a.number()))
	if err != nil {
		return pipeline.LedgerError("work the charge out", err)
	}
	if quote.Refusal != nil {
		return nil // the charge will fail with this reason
	}
	release, err := a.plan.Rehearse(ctx, a.program(), a.Workers)
	if err != nil {
		return err
	}
	release.SignBy(a.Signer)
	mark, err := a.Book.Mark(ctx)
	if err != nil {
		return pipeline.LedgerError("read the head", err)
	}
	release.Account(manifest.Ledger{Head: mark.Head, MAC: mark.MAC},
		manifest.ScopeOf(quote.Balance, calibrate.ComposedMu2(a.plan.Mechanisms())))
	return pipeline.OutputError(a.Sink.Rehearse(ctx, release))
}

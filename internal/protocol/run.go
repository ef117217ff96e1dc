package protocol

import (
	"context"
	"errors"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

// Run releases a plan once: the same run again returns the same bytes and spends nothing. The second run does not open
// the input, since its result, duration or failure would reveal whether the input has changed.
//
// Protocol: reserve, aggregate, noise, stage, seal, publish. After a crash the next run of the same plan continues: a
// complete staging is sealed and published unchanged; an incomplete one is deleted, and noise is drawn again under the
// same charge, since nobody has seen the first noise.
func (r *Runner) Run(ctx context.Context, req Request) (*Outcome, error) {
	if err := req.Plan.Accurate(); err != nil {
		return nil, err
	}
	unlock, err := r.Book.Lock(ctx, req.Plan.Fingerprint())
	if err != nil {
		return nil, pipeline.LedgerError("lock the run", err)
	}
	defer unlock()
	// Two jobs that publish into one folder must not both be charged before one of them finds it taken.
	unlockFolder, err := r.lockFolder(ctx, req.Dir)
	if err != nil {
		return nil, err
	}
	defer unlockFolder()
	a := &attempt{Runner: r, plan: req.Plan, dir: req.Dir, newRelease: req.NewRelease, compare: req.CompareInput,
		refuse: req.Refuse}
	if err := a.lookup(ctx); err != nil {
		return nil, err
	}
	if a.next() == NextWithdrawn {
		return nil, a.withdrawn()
	}
	if err := a.tidy(ctx); err != nil {
		return nil, err
	}
	if err := a.finishEarlier(ctx); err != nil {
		return nil, err
	}
	switch next := a.next(); next {
	case NextCharge, NextResume:
		if a.compare {
			return nil, &pipeline.Error{
				Cause: pipeline.CauseJob, Code: "not-released", Message: "--compare-input compares the input with that of a " +
					"release, and this job has no release",
				Hint: "nothing was spent; make the release with release run, without --compare-input",
			}
		}
		return a.release(ctx)
	case NextRepeat:
		return a.repeat(ctx)
	case NextRerender, NextFinish:
		if err := a.compareInput(ctx, &a.prior); err != nil {
			return nil, err
		}
		if next == NextRerender {
			return a.rerender(ctx)
		}
		return &Outcome{Status: StatusFinished, Dir: a.dir, Digest: a.prior.Digests.Release}, nil
	default:
		return nil, a.withdrawn()
	}
}

func (r *Runner) lockFolder(ctx context.Context, dir string) (unlock func(), err error) {
	unlock, err = r.Book.LockFolder(ctx, dir)
	return unlock, pipeline.LedgerError("lock the folder", err)
}

// release makes a release, from the charge to the published folder.
func (a *attempt) release(ctx context.Context) (*Outcome, error) {
	engine, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	// This check comes after open: an occupied folder must not hide errors of the job.
	if err := a.checkVacant(ctx, a.dir); err != nil {
		return nil, err
	}
	if !a.reserved() {
		if err := a.rehearse(ctx); err != nil {
			return nil, err
		}
	}
	if err := a.charge(ctx); err != nil {
		return nil, err
	}
	release, input, err := a.answer(ctx, engine)
	if err != nil {
		return nil, a.abandon(ctx, err)
	}
	inputMAC, err := a.Book.Fingerprint(ctx, input)
	if err != nil {
		return nil, a.abandon(ctx, pipeline.LedgerError("fingerprint the input", err))
	}
	release.SignBy(a.Signer)
	charged, _, err := a.Book.Lookup(ctx, a.plan.Fingerprint())
	if err != nil {
		return nil, a.abandon(ctx, pipeline.LedgerError("read the account", err))
	}
	if err := a.addLedgerFacts(ctx, release, charged.Mu2); err != nil {
		return nil, a.abandon(ctx, err)
	}
	seal := ledger.Digests{Input: inputMAC, Rendering: a.plan.Rendering()}
	if seal.Release, err = a.stage(ctx, a.staging(), noteOf(seal), release); err != nil {
		return nil, a.abandon(ctx, err)
	}
	if err := a.writeMAC(ctx, noteOf(seal), seal.Release); err != nil { // without a MAC, the next run deletes it
		return nil, a.abandon(ctx, err)
	}
	// From here on the staging folder is complete: if a later step fails, the next run seals and publishes it
	// unchanged.
	if err := a.seal(context.WithoutCancel(ctx), seal); err != nil {
		return nil, err
	}
	moved, err := a.publish(ctx)
	if err != nil {
		return nil, err
	}
	return &Outcome{Status: StatusReleased, Dir: a.dir, Discarded: a.discarded, Digest: seal.Release, Moved: moved,
		Release: release, Queries: a.chosen.Queries(), Checks: a.checks, Gone: a.gone}, nil
}

// checkVacant returns an error unless the output folder is empty, or holds a publication of this run, which may be
// moved aside.
func (a *attempt) checkVacant(ctx context.Context, dir string) error {
	digest, err := a.Sink.Inspect(ctx, dir)
	switch {
	case errors.Is(err, pipeline.ErrNoRelease), err == nil && a.ours[digest]:
		return nil
	case err == nil, errors.Is(err, pipeline.ErrIncomplete):
		return occupied(dir, err)
	default:
		return pipeline.OutputError(err)
	}
}

func occupied(dir string, err error) error {
	if why := errors.Unwrap(err); errors.Is(why, pipeline.ErrIncomplete) { // the message names the folder itself
		err = why
	}
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "occupied", Message: dir +
		" holds something else than this release", Hint: hintOccupied, Err: err}
}

const hintOccupied = "choose another folder with --out, put a ${param} in output.dir, or move the folder away"

// open opens the input and checks the plan against its schema. A resumed run reads the version of the input that was
// charged.
func (a *attempt) open(ctx context.Context) (pipeline.Engine, error) {
	engine, err := a.Open(ctx)
	if err != nil {
		return nil, a.unspent(pipeline.InputError(err))
	}
	if err := a.readVersion(ctx, engine); err != nil {
		_ = engine.Close()
		return nil, err
	}
	if diags := a.plan.CheckWith(engine); len(diags) > 0 {
		_ = engine.Close()
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "schema", Message: "the job does not fit the input",
			Err: diags}
	}
	return engine, nil
}

// unspent adds to an error of opening the input what the run has spent.
func (a *attempt) unspent(err error) error {
	var failed *pipeline.Error
	if errors.As(err, &failed) && failed.Hint == "" {
		failed.Hint = "nothing was spent"
		if a.reserved() {
			failed.Hint = "nothing more was spent; what the interrupted run was charged stays, and the same run resumes it"
		}
	}
	return err
}

// readVersion makes the engine read the version of the input that was recorded with the charge. If that version is gone
// and a new release was requested, it reads the newest version: no noise was drawn on either. The ledger's entry keeps
// the recorded version.
func (a *attempt) readVersion(ctx context.Context, engine pipeline.Engine) error {
	v, keeps := engine.(pipeline.Versioned)
	if keeps {
		a.version = v.Version()
	}
	recorded := a.prior.Charge.Input
	if !a.reserved() || recorded == "" || recorded == a.version {
		return nil
	}
	err := pipeline.ErrVersionGone
	if keeps {
		err = v.ReadVersion(ctx, recorded)
	}
	switch {
	case err == nil:
		a.version = recorded
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !errors.Is(err, pipeline.ErrVersionGone):
		return pipeline.InputError(err)
	case a.newRelease:
		a.gone = recorded
		return nil
	}
	return &pipeline.Error{Cause: pipeline.CauseInput, Code: "input-version", Message: "the input no longer has the " +
		"version that this run was charged for: " + recorded, Hint: "a table keeps its versions for a time; run with " +
		"--new-release, which reads the newest version under the same charge", Err: err}
}

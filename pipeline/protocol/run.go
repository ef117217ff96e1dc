package protocol

import (
	"context"
	"errors"

	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Runner carries plans out. Every field but Signer and Announce is needed.
type Runner struct {
	Book *ledger.Book
	Sink pipeline.Sink
	// Open opens the input; ErrInputGone if its files are not there any more.
	Open     func(ctx context.Context) (pipeline.Engine, error)
	Observer pipeline.Observer
	// Workers is the number of goroutines that draw noise.
	Workers int
	Program manifest.Program
	// Signer signs the manifests of new releases; nil: they are not signed.
	Signer pipeline.Signer
	// Announce gets what a run is about to charge, or the charge under which it goes on, before it does so. It may be nil.
	Announce func(Standing)
}

// Request is one run of a plan.
type Request struct {
	Plan *pipeline.Plan
	// Dir is the absolute path of the release folder.
	Dir string
	// NewRelease asks for a new release of a question that was answered before, and pays for it again.
	NewRelease bool
	// Refuse ends the run before any noise if the data leave a column unusable for a query that needs it ([pipeline.Plan.Findings]); the engine must
	// look at all rows. Whether a release appears then depends on the rows, and its readers see it.
	Refuse bool
}

// Status says how a run ended.
type Status string

// The ways in which a run ends well.
const (
	// StatusReleased: the release was made by this run.
	StatusReleased Status = "released"
	// StatusFinished: an earlier run had drawn the noise and was cut short; its release was published.
	StatusFinished Status = "finished"
	// StatusAlready: the release was there already; nothing was spent.
	StatusAlready Status = "already-released"
	// StatusCopied: the release was published elsewhere; its bytes were copied, nothing was spent.
	StatusCopied Status = "copied"
	// StatusDerived: the question was released in another presentation; this one was made of its noisy values, nothing was spent.
	StatusDerived Status = "derived"
)

// Outcome is what a run did.
type Outcome struct {
	Status Status
	Dir    string
	// Digest is the SHA-256 of the release's manifest.
	Digest string
	// Moved is where an older release of the folder was put; "" if there was none.
	Moved string
	// Release is what this run made, and Plan the plan of it, with the clamps that were found; nil if it made none.
	Release *pipeline.Release
	Plan    *pipeline.Plan
	// Discarded: beside the folder was a complete release in staging that no run of this ledger can have made, or one of an earlier
	// version. It was deleted, and noise was drawn anew under the same charge.
	Discarded bool
	// From is the folder whose noisy values a derived release was made of; else "".
	From string
	// InputGone: the input could not be compared with what was released, since its files are not there any more.
	InputGone bool
	// Checks is what the engine tallied for the operator; nil if it was not asked to, or if this run made no release.
	Checks *pipeline.DataChecks
}

// Run releases a plan once: the same run again returns the same bytes and spends nothing.
//
// Protocol: reserve, aggregate, noise, stage, seal, publish. After a crash the next run of the same plan finds how far
// this one came: what is staged completely is sealed and published as it is; what is not is deleted, and noise is
// drawn afresh under the same charge, since nobody has seen the first.
func (r *Runner) Run(ctx context.Context, req Request) (*Outcome, error) {
	if err := req.Plan.Accurate(); err != nil {
		return nil, err
	}
	unlock, err := r.Book.Lock(ctx, req.Plan.Run())
	if err != nil {
		return nil, pipeline.LedgerError("lock the run", err)
	}
	defer unlock()
	// A process of an earlier version may be at the same question.
	unlockLegacy, err := r.Book.Lock(ctx, req.Plan.LegacyRun())
	if err != nil {
		return nil, pipeline.LedgerError("lock the run", err)
	}
	defer unlockLegacy()
	// Two jobs that publish into one folder must not both be charged before one of them finds it taken.
	unlockFolder, err := r.lockFolder(ctx, req.Dir)
	if err != nil {
		return nil, err
	}
	defer unlockFolder()
	a := &attempt{Runner: r, plan: req.Plan, dir: req.Dir, again: req.NewRelease, refuse: req.Refuse}
	if err := a.lookup(ctx); err != nil {
		return nil, err
	}
	if err := a.withdrawn(); err != nil && !req.NewRelease {
		return nil, err
	}
	if err := a.tidy(ctx); err != nil {
		return nil, err
	}
	finished, err := a.settle(ctx)
	var failed *pipeline.Error
	if errors.As(err, &failed) && failed.Code == codeLost && req.NewRelease {
		a.forsaken, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	// What an earlier --new-release began is what is asked for.
	again := req.NewRelease && !(finished && (a.prior.Charge.Number > 1 || a.older))
	switch {
	case !again && finished && a.mine(&a.prior):
		return &Outcome{Status: StatusFinished, Dir: a.dir, Digest: a.prior.Digests.Release}, nil
	case !req.NewRelease && len(a.same) > 0:
		return a.repeat(ctx)
	case !again && a.published():
		return a.derive(ctx)
	default:
		return a.release(ctx)
	}
}

// attempt is one run in progress.
type attempt struct {
	*Runner
	plan  *pipeline.Plan
	dir   string
	again bool // a new release is asked for
	// refuse: end before the noise if a column is unusable.
	refuse bool
	checks *pipeline.DataChecks // of this run's scan
	// waiting is the staging folder of a new release that was begun and that this run leaves to a later one; "" if there is none.
	waiting string
	// derivedIn are the staging folders of the question's further publications. One of a run that was killed may hold the older release with
	// which it had changed places.
	derivedIn []string

	prior ledger.Run      // the release that the run starts from; the zero Run if the ledger has none
	own   ledger.Run      // the newest release under the question's own key, given back or not
	same  []publication   // those in the plan's presentation, the newest release first
	older bool            // another release than prior is published
	ours  map[string]bool // manifest digests of all publications of the question

	receipt ledger.Receipt
	drawn   bool // noise may have been drawn under the receipt
	// discarded: a staging was found that no run of this ledger made, and deleted.
	discarded bool
	// forsaken: the newest release was sealed and is lost; a new one is asked for.
	forsaken bool
}

func (r *Runner) lockFolder(ctx context.Context, dir string) (unlock func(), err error) {
	unlock, err = r.Book.Lock(ctx, "folder\x00"+dir)
	return unlock, pipeline.LedgerError("take the folder", err)
}

func (a *attempt) published() bool { return a.prior.State == ledger.Published }

func (a *attempt) reserved() bool { return a.prior.State == ledger.Reserved }

func (a *attempt) sealed() bool { return a.prior.State == ledger.Sealed && !a.forsaken }

// key returns under which key the release in progress is charged: its question's, but for one that an earlier version began.
func (a *attempt) key() string {
	if a.reserved() || a.sealed() {
		return a.prior.Charge.Run
	}
	return a.plan.Run()
}

// number returns the number of the release in progress: one that was cut short is taken up again.
func (a *attempt) number() int {
	switch {
	case a.reserved(), a.sealed():
		return a.prior.Charge.Number
	case a.own.State == "":
		return 1
	case a.own.State == ledger.Released:
		return a.own.Charge.Number
	default:
		return a.own.Charge.Number + 1
	}
}

// release makes a release: the whole way from the charge to the published folder.
func (a *attempt) release(ctx context.Context) (*Outcome, error) {
	if err := a.vacant(ctx, a.dir); err != nil {
		return nil, err
	}
	engine, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	if err := a.charge(ctx); err != nil {
		return nil, err
	}
	release, input, err := a.answer(ctx, engine)
	if err != nil {
		return nil, a.abandon(ctx, err)
	}
	note, err := a.Book.Fingerprint(ctx, input)
	if err != nil {
		return nil, a.abandon(ctx, pipeline.LedgerError("fingerprint the input", err))
	}
	release.SignBy(a.Signer)
	charged, _, err := a.Book.Lookup(ctx, a.key())
	if err != nil {
		return nil, a.abandon(ctx, pipeline.LedgerError("read the account", err))
	}
	if err := a.showHead(ctx, release, charged.Mu2); err != nil {
		return nil, a.abandon(ctx, err)
	}
	seal := ledger.Digests{Input: note, Presentation: a.plan.Presentation()}
	if seal.Release, err = a.stage(ctx, a.staging(), noteOf(seal), release); err != nil {
		return nil, a.abandon(ctx, err)
	}
	if err := a.vouch(ctx, noteOf(seal), seal.Release); err != nil { // without its voucher the next run deletes it
		return nil, a.abandon(ctx, err)
	}
	// From here on the staging folder is complete: whatever fails, the next run seals and publishes it as it is.
	if err := a.seal(context.WithoutCancel(ctx), seal); err != nil {
		return nil, err
	}
	moved, err := a.publish(ctx)
	if err != nil {
		return nil, err
	}
	return &Outcome{Status: StatusReleased, Dir: a.dir, Discarded: a.discarded, Digest: seal.Release, Moved: moved, Release: release, Plan: a.plan, Checks: a.checks}, nil
}

// vacant refuses an output folder that holds anything but a publication of this question, which may be moved aside.
func (a *attempt) vacant(ctx context.Context, dir string) error {
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
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "occupied", Message: dir + " holds something else than this release", Hint: hintOccupied, Err: err}
}

const hintOccupied = "choose another folder with --out, put a ${param} in output.dir, or move the folder away"

// open opens the input and checks the plan against its schema.
func (a *attempt) open(ctx context.Context) (pipeline.Engine, error) {
	engine, err := a.Open(ctx)
	if err != nil {
		return nil, pipeline.InputError(err)
	}
	if diags := a.plan.CheckWith(engine); len(diags) > 0 {
		_ = engine.Close()
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "schema", Message: "the job does not fit the input", Err: diags}
	}
	return engine, nil
}

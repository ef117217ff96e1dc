package dprelease

import (
	"context"
	"errors"
	"math"
	"runtime"
	"time"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/redact"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// Job is a job file that was read and checked. [Load] and [Parse] make jobs.
type Job struct {
	plan *pipeline.Plan
	env  *redact.Environment
}

// Load reads and checks the job file at path, and reads the public files that it names. params are the values of its
// parameters, by name. References to the environment (${env:NAME}) are resolved in this process's environment. Errors:
// an [*Error] with all problems of the job.
func Load(ctx context.Context, path string, params map[string]string) (*Job, error) {
	env := &redact.Environment{}
	plan, problems := wiring.Plan(ctx, path, configs.ParseOptions{Params: params, Env: env.Lookup})
	if err := redacted(env, jobError(problems)); err != nil {
		return nil, err
	}
	return &Job{plan, env}, nil
}

// Parse does the same as [Load] for a job that is given as text. path is where the job's file is or would be: relative
// paths in the job start at its folder. Neither needs to exist.
func Parse(ctx context.Context, path string, text []byte, params map[string]string) (*Job, error) {
	env := &redact.Environment{}
	o := configs.ParseOptions{Params: params, Env: env.Lookup, CheckStep: pipeline.CheckStep}
	job, problems := configs.Parse(path, text, o)
	if len(problems) > 0 {
		return nil, redacted(env, jobError(problems))
	}
	plan, problems := wiring.PlanOf(ctx, job)
	if err := redacted(env, jobError(problems)); err != nil {
		return nil, err
	}
	return &Job{plan, env}, nil
}

// Name returns the job's name.
func (j *Job) Name() string { return j.plan.Name() }

// Options are settings of [Job.Plan] and [Job.Run]. The zero value takes all settings from the job. No option changes
// the guarantee or the size of the noise.
type Options struct {
	// Dir is the release folder; "" for the job's output.dir.
	Dir string
	// Workers is the number of goroutines; 0 for one per processor. Results do not depend on it.
	Workers int
	// Memory is how many bytes a run may use; 0 for the job's memory_limit or, without one, half of the machine's.
	Memory int64
	// TempDir is the folder of the encrypted temporary file, which holds data that does not fit in memory and a copy of
	// standard input. If TempDir is "", the file is in the release's staging folder, or in os.TempDir() if standard input
	// is read.
	TempDir string
	// Anchor is the path of a file on another disk with a copy of the ledger's newest entry; "" if there is none. A run
	// fails if the ledger lacks this entry, for instance after a rollback. The run writes the newest entry to the file.
	Anchor string
	// NewRelease makes a new release of a job that is released already: it charges again and draws new noise, and moves
	// the older folder aside.
	NewRelease bool
	// NewLedger allows a run to create the ledger although releases of the dataset exist. The new ledger does not count
	// the cost of these releases.
	NewLedger bool
	// Incomplete allows a release of a day, month or year that is not over. Rows that arrive later are in no release of
	// that period.
	Incomplete bool
}

// Status is how a successful run ended.
type Status string

// The values of [Status].
const (
	// Released means that this run made the release.
	Released Status = "released"
	// Finished means that an earlier run was interrupted after its seal, and this run published the sealed release.
	Finished Status = "finished"
	// AlreadyReleased means that the release existed before the run; nothing was spent.
	AlreadyReleased Status = "already-released"
	// Copied means that the release existed in another folder, and the run copied it; nothing was spent.
	Copied Status = "copied"
	// Rerendered means that the run made the release from the noisy values of an earlier release; nothing was spent.
	Rerendered Status = "rerendered"
)

// Outcome is the result of a run.
type Outcome struct {
	Status Status
	// Dir is the absolute path of the release folder; see [Open].
	Dir string
	// Digest is the SHA-256 of the release's manifest, in hexadecimal.
	Digest string
	// Moved is the path to which the run moved an older release; "" if there was none.
	Moved string
}

// Run makes the release of the job, and publishes it as one folder. The ledger records the charge before the first
// random draw, and what was drawn before anything is published. The same run again finds its release, spends nothing
// and does not open the input. A run that was killed is resumed by the next one, under the same charge. Errors: an
// [*Error], or ctx's.
func (j *Job) Run(ctx context.Context, o Options) (*Outcome, error) {
	out, err := j.run(ctx, o)
	return out, redacted(j.env, errorOf(err))
}

func (j *Job) run(ctx context.Context, o Options) (out *Outcome, err error) {
	if err := j.plan.Accurate(); err != nil {
		return nil, err
	}
	limits, dir, err := j.place(o)
	if err != nil {
		return nil, err
	}
	opening := runjob.LedgerOptions{New: o.NewLedger}
	book, err := runjob.OpenLedger(ctx, j.plan, dir, opening)
	if err != nil {
		return nil, err
	}
	defer book.Close() // nothing is lost: each entry was durable when it was made
	anchor, err := runjob.CompareHeads(ctx, book, dir, o.Anchor, opening)
	if err != nil {
		return nil, err
	}
	made, err := runjob.Run(ctx, book, protocol.Request{Plan: j.plan, Dir: dir, NewRelease: o.NewRelease,
		Refuse: j.plan.Refuses()}, runjob.Options{Limits: limits, Observer: pipeline.Silent{},
		Announce: func(s protocol.Standing) error {
			if s.Next == protocol.NextCharge && !o.Incomplete {
				return runjob.RefuseEarly(j.plan, time.Now())
			}
			return nil
		}})
	if failed := anchor.Renew(context.WithoutCancel(ctx), book); err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return &Outcome{Status: Status(made.Status), Dir: made.Dir, Digest: made.Digest, Moved: made.Moved}, nil
}

// place returns the settings of a run: its limits (workers, memory, temporary files) and the path of its release
// folder.
func (j *Job) place(o Options) (local.Limits, string, error) {
	limits := local.Limits{Workers: o.Workers, Memory: o.Memory, Scratch: o.TempDir}
	if limits.Workers < 1 {
		limits.Workers = runtime.GOMAXPROCS(0)
	}
	if limits.Memory == 0 {
		limits.Memory = j.plan.Job().Memory()
	}
	if j.plan.Refuses() {
		limits.Look = local.LookAll
	}
	limits, err := runjob.Limits(j.plan, limits)
	if err != nil {
		return limits, "", err
	}
	dir, err := runjob.Dir(j.plan, o.Dir)
	return limits, dir, err
}

// Plan is what a run of a job would do, cost and achieve. It is the same for every table with the job's columns.
type Plan struct {
	Name string
	// Epsilon and Delta are the guarantee of the whole release, and Mu is its parameter of Gaussian differential
	// privacy.
	Epsilon, Delta, Mu float64
	// Statement is the guarantee in words, as the release page shows it.
	Statement string
	Queries   []PlannedQuery
	// Next is what a run would do if it started now.
	Next Next
	// Dir is the folder of the job's existing release; "" if there is none.
	Dir string
	// Caps lists the caps of the ledger's budget that a run's charge would count against; empty if a run would charge
	// nothing.
	Caps []Cap
	// Refusal is the error with which a run would fail; nil if it would succeed.
	Refusal error
}

// Next is what a run would do if it started now.
type Next string

// The values of [Next].
const (
	// NextCharge: charge the budget and make the release.
	NextCharge Next = "charge"
	// NextResume: continue under the charge of a run that was interrupted.
	NextResume Next = "resume"
	// NextFinish: publish the complete release that an interrupted run staged.
	NextFinish Next = "finish"
	// NextRepeat: return the existing release.
	NextRepeat Next = "repeat"
	// NextRerender: make the release from the noisy values of an existing release.
	NextRerender Next = "rerender"
	// NextWithdrawn: fail, since the release was withdrawn.
	NextWithdrawn Next = "withdrawn"
)

// PlannedQuery is one query of a plan.
type PlannedQuery struct {
	Name, Kind string
	Cells      int
	// Deviation is the standard deviation of the noise of one cell, in the query's unit.
	Deviation float64
	// HalfWidth is half the width of the 95 % interval of a noisy cell, in the query's unit. If OverRows is true, the
	// half-width of a cell is HalfWidth divided by the cell's number of rows, which is private.
	HalfWidth float64
	OverRows  bool
	// Share is the query's fraction of the release's mu², from 0 to 1.
	Share float64
}

// Cap is one cap of the ledger's budget, and how a run's charge compares with it.
type Cap struct {
	// Per is what the cap limits: mu² over the lifetime ("total") or in a "day", "month" or "year", or the parts of delta
	// ("delta_cap"). Name is the period, such as 2026-11-21; "" for total and delta_cap.
	Per, Name string
	// Share is the charge divided by the cap.
	Share float64
	// Fits is how many further charges of this size fit afterwards; below 0 if this one does not fit.
	Fits float64
}

// Plan returns what a run would do and cost, and how accurate its release would be. It reads the ledger but never
// creates it, and reads no data. Errors: an [*Error], or ctx's; the refusal of a run is in the plan.
func (j *Job) Plan(ctx context.Context, o Options) (*Plan, error) {
	g := j.plan.Guarantee()
	p := &Plan{Name: j.Name(), Epsilon: float64(g.Epsilon), Delta: float64(g.Delta), Mu: float64(j.plan.Mu()),
		Statement: j.plan.Statement()}
	for _, q := range j.plan.Queries() {
		half, over := q.HalfWidth()
		p.Queries = append(p.Queries, PlannedQuery{Name: q.Query.Name(), Kind: string(q.Kind), Cells: q.Query.Cells(),
			Deviation: q.Deviation(), HalfWidth: half, OverRows: over, Share: math.Pow(float64(q.Mu())/p.Mu, 2)})
	}
	s, lost, err := j.standing(ctx, o)
	if err != nil {
		return nil, redacted(j.env, errorOf(err))
	}
	p.Next, p.Dir = Next(s.Next), s.Dir
	for _, r := range s.Quote.Rooms {
		p.Caps = append(p.Caps, Cap{Per: r.Per, Name: r.Name, Share: r.Share, Fits: r.Fits})
	}
	switch early := runjob.RefuseEarly(j.plan, time.Now()); {
	case j.plan.Accurate() != nil:
		p.Refusal = redacted(j.env, errorOf(j.plan.Accurate()))
	case lost != nil:
		p.Refusal = redacted(j.env, errorOf(lost))
	case s.Problem != nil:
		p.Refusal = redacted(j.env, errorOf(s.Problem))
	case s.Quote.Refusal != nil:
		p.Refusal = redacted(j.env, errorOf(pipeline.LedgerError("charge", s.Quote.Refusal)))
	case s.Next == protocol.NextCharge && early != nil && !o.Incomplete:
		p.Refusal = redacted(j.env, errorOf(early))
	}
	return p, nil
}

// standing finds out from the job's ledger what a run would do. lost is the error with which a run would fail if the
// ledger is missing although releases exist.
func (j *Job) standing(ctx context.Context, o Options) (s protocol.Standing, lost, err error) {
	_, dir, err := j.place(o)
	if err != nil {
		return s, nil, err
	}
	book, err := runjob.OpenStore(ctx, j.plan.Job().StoreName(), false)
	switch {
	case errors.Is(err, ledger.ErrAbsent):
		s, err = protocol.StandingOf(ctx, j.plan, nil, sink.New(), dir)
		return s, runjob.LedgerOptions{New: o.NewLedger}.LostLedger(j.plan, dir), err
	case err != nil:
		return s, nil, err
	}
	defer book.Close() // nothing is lost: the ledger was only read
	s, err = protocol.StandingOf(ctx, j.plan, book, sink.New(), dir)
	return s, nil, err
}

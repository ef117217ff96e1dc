package protocol

import (
	"context"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

// Whether a run resumes, repeats, re-renders or charges
//
// A run and the plan before it decide by one table. The first row that fits decides:
//
//	newest release in the ledger         without --new-release  with --new-release
//	sealed                               finish                 finish
//	reserved                             resume                 resume
//	none, or cancelled                   charge                 charge
//	published, withdrawn                 withdrawn              charge
//	published a moment ago by this run:
//	  begun with --new-release, as asked finish                 finish
//	  begun with --new-release, other    repeat or rerender     rerender
//	  a first release, as asked          finish                 charge
//	  a first release, other             repeat or rerender     charge
//	published as asked                   repeat                 charge
//	published in another rendering    rerender               charge
//
// As asked: in the plan's rendering. Repeat or rerender: repeat if an older publication is as asked.
//
// A run that is not asked for a new release skips a reserved release and takes a published one that is not withdrawn
// (lookup). A run that finishes a sealed release looks the ledger up again, and then chooses a second time: it returns
// that release if it is what the run was asked for.

// Next is the next step of a run.
type Next string

// The steps that a run chooses from.
const (
	// NextCharge: the run charges the account and draws noise.
	NextCharge Next = "charge"
	// NextResume: an earlier run was interrupted after its charge; this run continues under that charge.
	NextResume Next = "resume"
	// NextFinish: an earlier run was interrupted after its seal; this run publishes the sealed release.
	NextFinish Next = "finish"
	// NextRepeat: the release is published; this run returns the same bytes.
	NextRepeat Next = "repeat"
	// NextRerender: the release is published in another rendering; this run makes the requested one from the noisy
	// values.
	NextRerender Next = "rerender"
	// NextWithdrawn: the release was withdrawn; this run fails and charges nothing, unless a new release is asked for.
	NextWithdrawn Next = "withdrawn"
)

// situation holds the facts that decide the next step of a run.
type situation struct {
	state     ledger.State // the state of the release that the run starts from; "" if there is none that counts
	withdrawn bool         // the release was withdrawn
	asked     bool         // the release has the plan's rendering
	// repeatable: this release, or an older one, was published in the plan's rendering
	repeatable bool
	// renewal: the release was begun by a run with --new-release
	renewal bool
	// finished: this run has just published the release, which an earlier run had sealed
	finished bool
	// newRelease: the run has --new-release
	newRelease bool
}

// next returns the next step. It never returns NextCharge or NextResume if the run's release is published and no new
// one is requested.
func (s situation) next() Next {
	switch {
	case s.state == ledger.Sealed:
		return NextFinish
	case s.state == ledger.Reserved:
		return NextResume
	case s.state != ledger.Published:
		return NextCharge
	case s.newRelease && !(s.finished && s.renewal): // unless this run has just finished it
		return NextCharge
	case s.withdrawn:
		return NextWithdrawn
	case s.finished && s.asked:
		return NextFinish
	case s.repeatable && !s.newRelease:
		return NextRepeat
	default:
		return NextRerender
	}
}

// next returns the next step of an attempt that has looked its run up.
func (a *attempt) next() Next {
	s := situation{
		state: a.prior.State, withdrawn: a.prior.Withdrawn != nil, asked: a.hasRendering(&a.prior),
		repeatable: len(a.same) > 0,
		renewal:    a.prior.Charge.Number > 1 || a.older, finished: a.finished, newRelease: a.newRelease,
	}
	if a.forsaken {
		s.state = "" // its files are lost
	}
	return s.next()
}

// Standing describes what a run would do and cost if it were started now.
type Standing struct {
	Next Next
	// Prior is the release that the run finds in the ledger; zero if Next is NextCharge.
	Prior ledger.Run
	// Dir is the folder of Prior: where it is now or, if it is not found, where it was published. "" unless Next is
	// NextRepeat, NextRerender or NextWithdrawn.
	Dir string
	// Problem is the error with which the run will fail, because Prior was withdrawn, or its folder is missing or
	// changed; nil if the run can go on.
	Problem error
	// Quote is what the run would charge; zero unless Next is NextCharge.
	Quote ledger.Quote
}

// StandingOf returns what a run of plan p into dir would do now, according to the ledger. book is nil if there is no
// ledger yet. It reads no data.
func StandingOf(ctx context.Context, p *pipeline.Plan, book *ledger.Book, sink pipeline.Sink, dir string) (s Standing,
	err error) {
	if book == nil {
		s.Next = NextCharge
		s.Quote, err = ledger.QuoteFirst(p.Charge(dir, 1), time.Now())
		return s, pipeline.LedgerError("work the charge out", err)
	}
	if moved, err := book.Moved(ctx); err != nil || moved != nil {
		if err == nil {
			err = &ledger.MovedError{Move: *moved}
		}
		return s, pipeline.LedgerError("look the run up", err)
	}
	a := &attempt{Runner: &Runner{Book: book, Sink: sink}, plan: p, dir: dir}
	if err := a.lookup(ctx); err != nil {
		return Standing{}, err
	}
	return a.standing(ctx)
}

// Find returns the release that a run of plan p would repeat, resume or follow; ok is false if there is none.
func Find(ctx context.Context, p *pipeline.Plan, book *ledger.Book, sink pipeline.Sink) (r ledger.Run, ok bool,
	err error) {
	a := &attempt{Runner: &Runner{Book: book, Sink: sink}, plan: p}
	if err := a.lookup(ctx); err != nil {
		return r, false, err
	}
	return a.prior, a.prior.State != "", nil
}

// standing is StandingOf for an attempt that has looked its run up in the ledger.
func (a *attempt) standing(ctx context.Context) (s Standing, err error) {
	if s.Next = a.next(); s.Next != NextCharge {
		s.Prior = a.prior
	}
	switch s.Next {
	case NextCharge:
		s.Quote, err = a.Book.Quote(ctx, a.plan.Charge(a.dir, a.number()))
	case NextWithdrawn:
		s.Dir, s.Problem = a.prior.Charge.Dir, a.withdrawn()
	case NextRepeat:
		is := a.same[0]
		s.Prior, s.Dir = is.run, is.dir
		if found, err := a.find(ctx, is.dir, is.digest); err == nil {
			s.Dir = found
		} else if !is.rerendered {
			if s.Problem = is.pruned(); s.Problem == nil {
				s.Problem = err
			}
		}
	case NextRerender:
		s.Dir = a.prior.Charge.Dir
		dir, _, _, err := a.source(ctx, &s.Prior)
		if s.Problem = err; err == nil {
			s.Dir = dir
		}
	}
	return s, pipeline.LedgerError("work the charge out", err)
}

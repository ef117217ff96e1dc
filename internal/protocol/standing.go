package protocol

import (
	"context"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

// StandingOf returns what a run of a plan into dir would do now, given the ledger. book is nil if there is no ledger
// yet. It reads no data.
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

// Find returns the release with the plan's fingerprint from which a run would start; ok is false if there is none that
// counts.
func Find(ctx context.Context, p *pipeline.Plan, book *ledger.Book, sink pipeline.Sink) (r ledger.Run, ok bool,
	err error) {
	a := &attempt{Runner: &Runner{Book: book, Sink: sink}, plan: p}
	if err := a.lookup(ctx); err != nil {
		return r, false, err
	}
	return a.prior, a.prior.State != "", nil
}

// standing is Standing of an attempt that has looked its run up.
func (a *attempt) standing(ctx context.Context) (s Standing, err error) {
	switch withdrawn := a.withdrawn(); {
	case withdrawn != nil && !a.again:
		s.Next, s.Prior, s.Dir, s.Problem = NextWithdrawn, a.prior, a.prior.Charge.Dir, withdrawn
	case len(a.same) > 0 && !a.again:
		is := a.same[0]
		s.Next, s.Prior, s.Dir = NextRepeat, is.run, is.dir
		if found, err := a.find(ctx, is.dir, is.digest); err == nil {
			s.Dir = found
		} else if !is.rerendered {
			if s.Problem = is.pruned(); s.Problem == nil {
				s.Problem = err
			}
		}
	case a.published() && !a.again:
		s.Next, s.Prior, s.Dir = NextRerender, a.prior, a.prior.Charge.Dir
		dir, _, _, err := a.source(ctx, &s.Prior)
		if s.Problem = err; err == nil {
			s.Dir = dir
		}
	case a.sealed():
		s.Next, s.Prior = NextFinish, a.prior
	case a.reserved():
		s.Next, s.Prior = NextResume, a.prior
	default:
		s.Next = NextCharge
		s.Quote, err = a.Book.Quote(ctx, a.plan.Charge(a.dir, a.number()))
	}
	return s, pipeline.LedgerError("work the charge out", err)
}

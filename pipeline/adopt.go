package pipeline

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/ledger"
)

// reserve charges the run. One that is reserved already is taken up as it was recorded, also where another version of the program
// calibrated it otherwise: what was charged then is what may be drawn now.
func (a *attempt) reserve(ctx context.Context) (err error) {
	if !a.reserved() {
		a.receipt, err = a.Book.Charge(ctx, a.plan.Charge(a.dir, a.number()))
		return LedgerError("charge", err)
	}
	receipt, recorded, err := a.Book.Resume(ctx, a.plan.Run(), a.number())
	if err != nil {
		return LedgerError("take the reservation up", err)
	}
	plan, err := a.plan.adopt(recorded)
	if err != nil {
		return LedgerError("take the reservation up", err)
	}
	a.plan, a.receipt = plan, receipt
	return nil
}

// adopt returns the plan with the mechanisms of a charge, if they answer the same questions with the same sensitivities and meet the
// plan's guarantee, less the share of delta that may fail, by the definition.
func (p *Plan) adopt(c ledger.Charge) (*Plan, error) {
	mismatch := &ledger.MismatchError{Run: c.Run, Number: c.Number, What: "mechanisms"}
	sameQuestion := slices.EqualFunc(c.Mechanisms, p.Mechanisms(), func(x, y calibrate.Mechanism) bool {
		return x.Query == y.Query && x.Sens.L2 == y.Sens.L2
	})
	if !sameQuestion || c.Account != p.Account() || c.DeltaShare != p.failure.share || calibrate.Verify(c.Mechanisms, p.noise) != nil {
		return nil, mismatch
	}
	adopted, rest := *p, c.Mechanisms
	adopted.queries = slices.Clone(p.queries)
	for i := range adopted.queries {
		q := &adopted.queries[i]
		n := len(q.Mechanisms)
		q.Mechanisms, rest = slices.Clone(rest[:n]), rest[n:]
		if err := q.adoptSelection(); err != nil {
			return nil, mismatch
		}
	}
	return &adopted, nil
}

// adoptSelection lets private keys be selected with the query's mechanism, whose noise gives the threshold.
func (q *Planned) adoptSelection() error {
	if q.Selection == nil {
		return nil
	}
	s := *q.Selection
	s.Mechanism = q.Mechanisms[0]
	q.Selection = &s
	_, err := s.Threshold()
	return err
}

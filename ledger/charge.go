package ledger

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
)

// Charge reserves the spend durably and returns its receipt. A run that is reserved already is resumed at no charge;
// its newest receipt replaces the earlier ones of this Book. The first charge opens the account with its budget.
//
// Errors: ErrCharge where c is not well-formed; an AccountError or a ChangedBudgetError where unit, adjacency or budget
// are not those of the dataset's account; a MismatchError where a run is resumed with other mechanisms or account; a
// StateError where it is sealed or published, or an earlier release of it is still reserved; an OverBudgetError where
// the sum of mu squared would pass mu_cap squared. After ErrBusy, ErrFull and ErrUnavailable the same charge can be
// made again: if it was recorded after all, it is resumed.
func (b *Book) Charge(ctx context.Context, c Charge) (Receipt, error) {
	if err := c.check(); err != nil {
		return Receipt{}, err
	}
	c = c.clone()
	var seq int64
	err := b.update(ctx, func(w *writer) (err error) {
		seq, err = w.charge(c)
		return err
	})
	if err != nil {
		return Receipt{}, err
	}
	return b.issue(c, seq), nil
}

// charge returns the sequence number of the entry that reserves c, an old one where it is resumed.
func (w *writer) charge(c Charge) (seq int64, err error) {
	a, err := w.state.admit(c)
	if err != nil {
		return 0, err
	}
	if r := w.state.find(c.Run, c.Number); r != nil && r.State == Reserved {
		return r.seq, r.resume(c)
	}
	if err := w.state.reservable(c); err != nil {
		return 0, err
	}
	if err := a.afford(c); err != nil {
		return 0, err
	}
	if w.state.accounts[c.Account] == nil {
		if err := w.open(c); err != nil {
			return 0, err
		}
	}
	err = w.append(KindReserve, reserveOf(c))
	return w.head.Seq, err
}

func (w *writer) open(c Charge) error {
	return w.append(KindBudget, budgetBody{Account: accountBodyOf(c.Account), Delta: c.Budget.Delta, DeltaCap: none, Epsilon: c.Budget.Epsilon})
}

// admit returns the account that c belongs to, a new one where its dataset has none.
func (s *state) admit(c Charge) (*account, error) {
	mu, err := c.Budget.mu()
	if err != nil {
		return nil, fmt.Errorf("%w: its budget: %w", ErrCharge, err)
	}
	if a := s.accounts[c.Account]; a != nil {
		if !a.Budget.same(c.Budget) {
			return nil, &ChangedBudgetError{c.Account, a.Budget, c.Budget}
		}
		return a, nil
	}
	for _, a := range s.opened {
		if a.Account.Dataset == c.Account.Dataset {
			return nil, &AccountError{a.Account, c.Account}
		}
	}
	return &account{Account: c.Account, Budget: c.Budget, mu: mu}, nil
}

// same compares values, not their spelling: 1e-5 is 0.00001.
func (b Budget) same(o Budget) bool {
	g, err1 := b.guarantee()
	h, err2 := o.guarantee()
	return err1 == nil && err2 == nil && g == h
}

// afford refuses c where the account cannot pay for it.
func (a *account) afford(c Charge) error {
	balance, asked := a.balance(), calibrate.ComposedMu2(c.Mechanisms)
	if a.mu.Covers(sum(balance.Spent, asked)) {
		return nil
	}
	refusal := &OverBudgetError{Balance: balance, Asked: asked, Delta: c.Delta}
	g, err := a.Budget.guarantee()
	if err != nil {
		return err
	}
	if refusal.Delta == 0 {
		refusal.Delta = g.Delta
	}
	if refusal.Epsilon, err = balance.Fits(refusal.Delta); err != nil {
		return err
	}
	return refusal
}

// resume checks that c asks what was reserved.
func (r *run) resume(c Charge) error {
	switch {
	case r.Charge.Account != c.Account:
		return &MismatchError{c.Run, c.Number, "account"}
	case !sameMechanisms(r.Charge.Mechanisms, c.Mechanisms):
		return &MismatchError{c.Run, c.Number, "mechanisms"}
	}
	return nil
}

func sameMechanisms(a, b []calibrate.Mechanism) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		x.Sens.Why, y.Sens.Why = "", "" // an argument, not a number
		if x != y {
			return false
		}
	}
	return true
}

package ledger

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// Charge reserves the spend durably and returns its receipt. If the run is already reserved, Charge resumes it at no
// cost, and the newest receipt replaces the earlier ones of this Book. The first charge to an account opens it with the
// charge's budget.
//
// Errors: ErrCharge if c is not well-formed; an AccountError or a ChangedBudgetError if unit, adjacency or budget
// differ from the dataset's account; a UnitError if a table was charged with another unit; a MismatchError if a run is
// resumed with other mechanisms or another account; a StateError if the run is sealed or published, or if an earlier
// release of it is still reserved; an OverBudgetError if the sum of mu squared would exceed mu_cap squared, of the
// lifetime or of a period; an OverShareError if the shares of delta would exceed their cap. After ErrBusy, ErrFull and
// ErrUnavailable the caller can make the same charge again: if it was recorded after all, it is resumed.
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

// charge returns the sequence number of the entry that reserves c. If c is resumed, that is the old entry.
func (w *writer) charge(c Charge) (seq int64, err error) {
	a, err := w.state.admit(c)
	if err != nil {
		return 0, err
	}
	if r := w.state.find(c.Run, c.Number); r != nil && r.State == Reserved {
		return r.seq, r.checkResume(c)
	}
	if err := w.state.checkReservable(c); err != nil {
		return 0, err
	}
	if err := a.checkBudget(c, w.state.clock(w.now)); err != nil {
		return 0, err
	}
	if w.state.payer(c.Account) == nil {
		if err := w.setBudget(c.Account, c.Budget, ""); err != nil {
			return 0, err
		}
	}
	err = w.append(KindReserve, reserveOf(c))
	return w.head.Seq, err
}

// admit returns the account that pays for c, or a new one if its dataset has none.
func (s *state) admit(c Charge) (*account, error) {
	limits, err := c.Budget.caps()
	if err != nil {
		return nil, fmt.Errorf("%w: its budget: %w", ErrCharge, err)
	}
	if a := s.payer(c.Account); a != nil {
		if !slices.ContainsFunc(a.stated, c.Budget.sameAs) {
			return nil, &ChangedBudgetError{c.Account, a.Budget, c.Budget}
		}
		return a, nil
	}
	for _, a := range s.opened {
		if a.Account.Dataset == c.Account.Dataset {
			return nil, &AccountError{a.Account, c.Account}
		}
	}
	return &account{Account: c.Account, Budget: c.Budget, caps: limits, largest: limits.mu}, nil
}

// checkBudget returns an OverBudgetError, OverShareError, UnitError or AccountError if the account cannot pay for c at
// this time.
func (a *account) checkBudget(c Charge, at time.Time) error {
	if err := a.checkUnits(c); err != nil {
		return err
	}
	balance, asked := a.balance(at), a.cost(c)
	share, err := parseShare(c.DeltaShare)
	if err != nil {
		return err
	}
	if share.Sign() > 0 && a.Account.Adjacency != c.Account.Adjacency {
		return &AccountError{a.Account, c.Account}
	}
	if share.Add(share, balance.DeltaSpent).Cmp(balance.DeltaCap) > 0 {
		return &OverShareError{Balance: balance, Asked: zeroIfEmpty(c.DeltaShare)}
	}
	if a.caps.mu.Covers(sum(balance.Spent, asked)) && asked.Cmp(balance.Free()) <= 0 {
		return nil
	}
	return a.overBudget(c, balance, asked)
}

// checkUnits returns an error if c reads a table whose unit an earlier charge defined otherwise. Cancelled charges do
// not count, since nothing was released under them. The account bounds each of its units only if all charges mean the
// same units. A table without a name can be any table.
func (a *account) checkUnits(c Charge) error {
	for _, r := range a.runs {
		if r.State == Cancelled {
			continue
		}
		for _, table := range slices.Sorted(maps.Keys(c.Units)) {
			for _, earlier := range slices.Sorted(maps.Keys(r.Charge.Units)) {
				have, want := r.Charge.Units[earlier], c.Units[table]
				if (earlier == table || earlier == "" || table == "") && have != want {
					return &UnitError{Dataset: a.Account.Dataset, Earlier: earlier, Have: have, Table: table, Want: want}
				}
			}
		}
	}
	return nil
}

func (a *account) overBudget(c Charge, balance Balance, asked *big.Float) error {
	refusal := &OverBudgetError{Balance: balance, Asked: asked, Delta: c.Delta}
	free := new(big.Float).Set(balance.Free())
	if a.Account.Adjacency != c.Account.Adjacency {
		free.SetMantExp(free, -2)
	}
	var err error
	if refusal.Epsilon, err = fits(free, c.Delta); err != nil {
		return err
	}
	return refusal
}

// checkResume returns an error if c differs from the reservation.
func (r *run) checkResume(c Charge) error {
	switch {
	case r.Charge.Account != c.Account:
		return &MismatchError{c.Run, c.Number, "account"}
	case !sameMechanisms(r.Charge.Mechanisms, c.Mechanisms):
		return &MismatchError{c.Run, c.Number, "mechanisms"}
	case zeroIfEmpty(r.Charge.DeltaShare) != zeroIfEmpty(c.DeltaShare):
		return &MismatchError{c.Run, c.Number, "share of delta"}
	}
	return nil
}

func sameMechanisms(a, b []calibrate.Mechanism) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		x.Sens.Why, y.Sens.Why = "", "" // an explanation, not a number
		if x != y {
			return false
		}
	}
	return true
}

// payer returns the account that pays for a charge to of. If there is no account with that name, an add-remove charge
// is paid by the replace-one account of the same unit: replacing a unit is removing one and adding another. payer
// returns nil if there is neither.
func (s *state) payer(of Account) *account {
	if a := s.accounts[of]; a != nil || of.Adjacency != "add-remove" {
		return a
	}
	of.Adjacency = "replace-one"
	return s.accounts[of]
}

// cost returns the mu squared that c costs in the account. Replacing a unit is two steps of an add-remove charge, which
// cost twice its mu (Dong, Roth & Su 2022, Theorem 2.14, group privacy). The opposite case would cost less and never
// occurs.
func (a *account) cost(c Charge) *big.Float {
	mu2 := calibrate.ComposedMu2(c.Mechanisms)
	if a.Account.Adjacency != c.Account.Adjacency {
		mu2.SetMantExp(mu2, 2)
	}
	return mu2
}

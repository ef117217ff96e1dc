package ledger

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
)

// Charge records the spend durably, and returns the receipt that noise is drawn with. If the release is reserved
// already, Charge resumes it at no cost, and the new receipt replaces earlier ones of this Book. The first charge to an
// account opens it with the charge's budget.
//
// Errors: ErrCharge if c is not well-formed; an AccountError or a ChangedBudgetError if unit, adjacency or budget
// differ from the dataset's account; a UnitError if a table was charged with another unit; a MismatchError if a run is
// resumed with other mechanisms or another account; a StateError if the run is sealed or published, or if an earlier
// release of it is still reserved; an OverBudgetError if the sum of mu squared would exceed mu_cap squared, over the
// lifetime or within a period; an OverShareError if the sum of DeltaShare would exceed DeltaCap. After ErrBusy, ErrFull
// and ErrUnavailable the caller can make the same charge again: if it was recorded after all, the second call resumes
// it.
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

// charge appends the entry that reserves the release of c, and returns the entry's sequence number. If the release is
// reserved already, it returns the number of the existing entry.
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
	if err := a.checkBudget(c, w.state.moment(w.now)); err != nil {
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

// admit returns the account that pays for c. If there is no such account, it returns a new one that is not recorded
// yet.
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
// that moment.
func (a *account) checkBudget(c Charge, now moment) error {
	if err := a.checkUnits(c); err != nil {
		return err
	}
	balance, asked := a.balance(now), a.cost(c)
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

// checkUnits returns a UnitError if an earlier charge defined the unit of one of c's tables differently. The account's
// guarantee holds only if all its charges protect the same units. Cancelled charges do not count, since nothing was
// released under them. A table without a name can be any table.
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

// checkResume returns an error if c differs from the recorded reservation.
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
		x.Sens.Why, y.Sens.Why = "", "" // Why explains a sensitivity and may differ
		if x != y {
			return false
		}
	}
	return true
}

// payer returns the account that pays for a charge to the account name, or nil if there is none. This is the account
// name itself, if it exists. Otherwise the replace-one account of the same unit pays for an add-remove charge, because
// replacing a unit means removing one and adding another.
func (s *state) payer(name Account) *account {
	if a := s.accounts[name]; a != nil || name.Adjacency != "add-remove" {
		return a
	}
	name.Adjacency = "replace-one"
	return s.accounts[name]
}

// cost returns the mu squared that c costs the account. In a replace-one account, an add-remove charge costs 4 times
// its mu squared: replacing a unit is two steps, which have twice the mu (Dong, Roth & Su 2022, Theorem 2.14, group
// privacy). An add-remove account never pays for a replace-one charge.
func (a *account) cost(c Charge) *big.Float {
	mu2 := calibrate.ComposedMu2(c.Mechanisms)
	if a.Account.Adjacency != c.Account.Adjacency {
		mu2.SetMantExp(mu2, 2)
	}
	return mu2
}

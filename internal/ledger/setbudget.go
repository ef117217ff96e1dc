package ledger

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// SetBudget records a new budget of an account. If there is no such account, SetBudget opens it beside the other
// accounts of its dataset. If the account has this budget already, nothing is recorded. note is the owner's reason.
// Errors: ErrCharge if the account or the budget is not well-formed.
//
// The guarantee of an account is the largest cap that it ever had. If the cap is raised after releases were seen, the
// promise about all of them becomes weaker. If it is lowered, further releases are refused, but the guarantee for the
// earlier ones does not become stronger.
func (b *Book) SetBudget(ctx context.Context, name Account, budget Budget, note string) error {
	if err := name.check(); err != nil {
		return err
	}
	if _, err := budget.caps(); err != nil {
		return fmt.Errorf("%w: %w", ErrCharge, err)
	}
	if !utf8.ValidString(note) {
		return fmt.Errorf("%w: a text is not UTF-8", ErrCharge)
	}
	return b.update(ctx, func(w *writer) error {
		if a := w.state.accounts[name]; a != nil && a.Budget.sameAs(budget) {
			return nil
		}
		return w.setBudget(name, budget, note)
	})
}

func (w *writer) setBudget(name Account, budget Budget, note string) error {
	body := budgetBody{
		Account: name, Epsilon: budget.Epsilon, Delta: budget.Delta, DeltaCap: zeroIfEmpty(budget.DeltaCap),
		Note: note,
		Day:  budget.Day, Month: budget.Month, Year: budget.Year,
	}
	return w.append(KindBudget, body)
}

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
// The guarantee of an account is the largest cap that it ever had. To raise the cap after releases were seen makes a
// weaker promise about all of them. To lower it refuses further releases, but does not strengthen the guarantee for the
// earlier ones.
func (b *Book) SetBudget(ctx context.Context, of Account, budget Budget, note string) error {
	if err := of.check(); err != nil {
		return err
	}
	if _, err := budget.caps(); err != nil {
		return fmt.Errorf("%w: the budget: %w", ErrCharge, err)
	}
	if !utf8.ValidString(note) {
		return fmt.Errorf("%w: a text is not UTF-8", ErrCharge)
	}
	return b.update(ctx, func(w *writer) error {
		if a := w.state.accounts[of]; a != nil && a.Budget.sameAs(budget) {
			return nil
		}
		return w.setBudget(of, budget, note)
	})
}

func (w *writer) setBudget(of Account, budget Budget, note string) error {
	body := budgetBody{
		Account: accountBodyOf(of), Epsilon: budget.Epsilon, Delta: budget.Delta, DeltaCap: zeroIfEmpty(budget.DeltaCap), Note: note,
		Day: limitBodyOf(budget.Day), Month: limitBodyOf(budget.Month), Year: limitBodyOf(budget.Year),
	}
	return w.append(KindBudget, body)
}

package ledger

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// SetBudget gives an account a budget, with an entry of its own. If there is no such account, SetBudget opens it beside
// the other accounts of its dataset. If the account has this budget already, nothing is recorded. note is the reason.
// Errors: ErrCharge if the account or the budget is not well-formed.
//
// An account promises the largest cap that it ever had. A larger cap that is chosen after releases were seen is a new
// promise about all of them. A smaller cap refuses further releases and takes nothing back.
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

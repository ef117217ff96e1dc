package ledger

import (
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// AccountError refuses a charge whose unit or adjacency differs from the dataset's budget.
type AccountError struct{ Have, Want Account }

// Error states both accounts.
func (e *AccountError) Error() string {
	return fmt.Sprintf("the budget of dataset %q is for unit %s, %s; the job has unit %s, %s",
		e.Have.Dataset, e.Have.Unit, e.Have.Adjacency, e.Want.Unit, e.Want.Adjacency)
}

// ChangedBudgetError refuses a charge with a budget that the account never had: neither when it was opened nor set by
// its owner.
type ChangedBudgetError struct {
	Account    Account
	Have, Want Budget
}

// Error states both budgets.
func (e *ChangedBudgetError) Error() string {
	return fmt.Sprintf("the budget of dataset %q was fixed at %s; the job says %s", e.Account.Dataset, e.Have, e.Want)
}

// OverBudgetError refuses a charge that does not fit. Nothing was spent.
type OverBudgetError struct {
	Balance Balance
	Asked   *big.Float // mu squared
	Delta   calibrate.Delta
	// Epsilon is the largest decimal of four digits that a job at Delta could still ask; empty if nothing fits.
	Epsilon string
}

// Error states the amounts asked, spent and left, and the largest epsilon that would fit.
func (e *OverBudgetError) Error() string {
	b := e.Balance
	of, spent, limit, left := "", b.Spent, b.Cap, b.Left
	for _, p := range b.Periods {
		if p.Left.Cmp(left) < 0 {
			of, spent, limit, left = fmt.Sprintf(" for the %s %s", p.Per, p.Name), p.Spent, p.Cap, p.Left
		}
	}
	n := digitsToTell(e.Asked, left)
	s := fmt.Sprintf("over the budget of dataset %q%s (%s): mu² %s is asked, %s of %s is spent, %s is left",
		b.Account.Dataset, of, b.Budget, e.Asked.Text('g', n), spent.Text('g', n), limit.Text('g', n), left.Text('g', n))
	if e.Epsilon == "" {
		return fmt.Sprintf("%s; nothing fits at delta %g", s, float64(e.Delta))
	}
	return fmt.Sprintf("%s; at delta %g the largest epsilon that fits is %s", s, float64(e.Delta), e.Epsilon)
}

// OverShareError refuses a charge whose probability of failure does not fit. Nothing was spent.
type OverShareError struct {
	Balance Balance
	Asked   string
}

// Error states the amounts asked, spent and allowed.
func (e *OverShareError) Error() string {
	b := e.Balance
	return fmt.Sprintf("over the budget of dataset %q for probabilities of failure: delta %s is asked, %s of delta_cap "+
		"%s is spent",
		b.Account.Dataset, e.Asked, b.DeltaSpent.FloatString(12), zeroIfEmpty(b.Budget.DeltaCap))
}

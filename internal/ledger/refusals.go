package ledger

// The errors with which a ledger refuses a charge: account.admit and account.checkBudget (charge.go) return them. All
// other errors are in errors.go.

import (
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/spelling"
)

// AccountError refuses a charge whose unit or adjacency differs from the dataset's account.
type AccountError struct{ Have, Want Account }

func (e *AccountError) Error() string {
	return fmt.Sprintf("the budget of dataset %q is for unit %s, %s; the job has unit %s, %s",
		e.Have.Dataset, e.Have.Unit, e.Have.Adjacency, e.Want.Unit, e.Want.Adjacency)
}

// UnitError refuses a charge that defines the privacy unit of a table differently than an earlier charge. Table and
// Earlier are the table's names in the two charges; "" in a job that has one table only.
type UnitError struct{ Dataset, Earlier, Have, Table, Want string }

func (e *UnitError) Error() string {
	charged, asked := "a table without a name", "there"
	if e.Earlier != "" {
		charged = "table " + e.Earlier
	}
	switch e.Table {
	case e.Earlier:
	case "":
		asked = "and does not name its table, which can be that one"
	default:
		asked = "in table " + e.Table + ", which can be that one"
	}
	return fmt.Sprintf("the budget of dataset %q was charged for %s with the unit %s; the job has the unit %s %s",
		e.Dataset, charged, e.Have, e.Want, asked)
}

// ChangedBudgetError refuses a charge whose job states a budget that the account never had: only the owner changes a
// budget ([Book.SetBudget]).
type ChangedBudgetError struct {
	Account    Account
	Have, Want Budget
}

func (e *ChangedBudgetError) Error() string {
	return fmt.Sprintf("the budget of dataset %q is %s; the job states %s", e.Account.Dataset, e.Have, e.Want)
}

// OverBudgetError refuses a charge that exceeds what is left of the budget. Nothing was spent.
type OverBudgetError struct {
	Balance Balance
	Asked   *big.Float // mu squared
	Delta   calibrate.Delta
	// Epsilon is the largest epsilon that a job could still ask at Delta, a decimal of four digits; empty if nothing
	// fits.
	Epsilon string
}

// Period returns the period whose cap leaves least; its Per is "" if that is the cap of the lifetime.
func (e *OverBudgetError) Period() Period {
	least := Period{Cap: e.Balance.Cap, Left: e.Balance.Left}
	for _, p := range e.Balance.Periods {
		if p.Left.Cmp(least.Left) < 0 {
			least = p
		}
	}
	return least
}

// Error states how much of the budget the charge needs and how much is left, in percent, and the largest epsilon that
// would fit. The need is rounded up and the rest down; they never look equal.
func (e *OverBudgetError) Error() string {
	b, p, of := e.Balance, e.Period(), ""
	if p.Per != "" {
		of = fmt.Sprintf(" for the %s %s", p.Per, p.Name)
	}
	needs := spelling.Percent(ratio(e.Asked, p.Cap, big.ToPositiveInf), true)
	left := spelling.Percent(ratio(p.Left, p.Cap, big.ToNegativeInf), false)
	if left == needs {
		left = "less"
	}
	s := fmt.Sprintf("the release needs %s of the budget of dataset %q%s (%s), %s is left", needs, b.Account.Dataset, of,
		b.Budget, left)
	if p.Ahead {
		s += fmt.Sprintf("; the clock has not reached this %s, but the ledger has an entry dated in it, and counts no "+
			"earlier one any more", p.Per)
	}
	if e.Epsilon == "" {
		return fmt.Sprintf("%s; at delta %s nothing fits", s, e.Delta)
	}
	return fmt.Sprintf("%s; at delta %s an epsilon of at most %s fits", s, e.Delta, e.Epsilon)
}

// OverShareError refuses a charge whose DeltaShare exceeds what is left of delta_cap. Nothing was spent.
type OverShareError struct {
	Balance Balance
	Asked   string
}

func (e *OverShareError) Error() string {
	b := e.Balance
	return fmt.Sprintf("the release needs %s of dataset %q's delta_cap %s for probabilities of failure, %s is spent",
		e.Asked, b.Account.Dataset, zeroIfEmpty(b.Budget.DeltaCap), spelling.Up(ratUp(b.DeltaSpent), 6))
}

package ledger

import (
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
)

// Balance is the balance of an account. Amounts are in units of mu squared. They are exact sums of terms that were
// rounded up to 256 bits (calibrate.ComposedMu2), so the order of the charges does not change them.
type Balance struct {
	Account Account
	Budget  Budget
	Cap     *big.Float // mu_cap squared
	Spent   *big.Float // the sum of all releases that were not cancelled
	// Published is the part of Spent that belongs to published releases. Releases show it instead of Spent, which would
	// reveal that there are charges without a published release.
	Published *big.Float
	Left      *big.Float
	Runs      int // the number of releases that were not cancelled
	// DeltaCap and DeltaSpent are exact probabilities: the cap on the sum of all charges' DeltaShare, and that sum.
	DeltaCap, DeltaSpent *big.Rat
	Periods              []Period
	// Largest is the largest mu_cap that the account ever had: the guarantee that holds for its unit.
	Largest calibrate.Mu
	// History holds every budget that the account had, the earliest first.
	History []BudgetChange
}

// Period is the balance of an account within the current day, month or year (UTC). The current time is the clock's or
// the newest entry's, whichever is later, so that a clock that was set back frees no budget.
type Period struct {
	Per  string // "day", "month" or "year"
	Name string // such as 2026-11-21
	// Ahead is set if the clock has not reached the period: the newest entry was made by a clock that was ahead, or the
	// clock was set back.
	Ahead bool
	Limit Limit
	Cap   *big.Float // mu squared
	Spent *big.Float
	Left  *big.Float
}

func (a *account) balance(now moment) Balance {
	b := Balance{
		Account: a.Account, Budget: a.Budget, Spent: new(big.Float), Published: new(big.Float), Cap: square(a.caps.mu),
		DeltaCap:   new(big.Rat).Set(a.caps.delta),
		DeltaSpent: new(big.Rat), Periods: a.periodsAt(now), Largest: a.largest, History: slices.Clone(a.history),
	}
	for _, r := range a.runs {
		if r.State != Cancelled {
			b.Spent = sum(b.Spent, r.Mu2)
			b.DeltaSpent.Add(b.DeltaSpent, r.share)
			b.Runs++
		}
		if r.State == Published {
			b.Published = sum(b.Published, r.Mu2)
		}
	}
	b.Left = remainder(b.Cap, b.Spent)
	return b
}

// Share returns Spent/Cap, rounded up.
func (b Balance) Share() float64 {
	if b.Cap.Sign() == 0 {
		return 1
	}
	x, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Quo(b.Spent, b.Cap).Float64()
	return x
}

// Fits returns the largest epsilon that a job with this delta can still ask for: its charge must fit into what is left
// of the lifetime's cap and of each period's. epsilon is a decimal rounded down to four digits, or empty if not even
// epsilon 0 fits.
func (b Balance) Fits(d calibrate.Delta) (epsilon string, err error) { return fits(b.Free(), d) }

// periodsAt returns the balances of the day, the month and the year that contain a moment, if they have a cap.
func (a *account) periodsAt(now moment) (out []Period) {
	for i, limit := range a.Budget.limits() {
		if limit == (Limit{}) {
			continue
		}
		name := now.at.UTC().Format(periods[i].layout)
		p := Period{Per: periods[i].per, Name: name, Ahead: name != now.clock.UTC().Format(periods[i].layout), Limit: limit,
			Spent: new(big.Float)}
		for _, r := range a.runs {
			if r.State != Cancelled && r.at.UTC().Format(periods[i].layout) == p.Name {
				p.Spent = sum(p.Spent, r.Mu2)
			}
		}
		p.Cap = square(a.caps.periods[i])
		p.Left = remainder(p.Cap, p.Spent)
		out = append(out, p)
	}
	return out
}

// Free returns the largest mu squared that a charge can take now: the smallest amount left under the lifetime's and the
// periods' caps.
func (b Balance) Free() *big.Float {
	free := b.Left
	for _, p := range b.Periods {
		if p.Left.Cmp(free) < 0 {
			free = p.Left
		}
	}
	return free
}

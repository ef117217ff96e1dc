package ledger

import (
	"math/big"
	"time"

	"github.com/dprelease/dprelease/ledger/internal/amount"
)

// periods are the spans of time that may have a cap, and the format of their names (in UTC).
var periods = [3]struct{ per, layout string }{{"day", "2006-01-02"}, {"month", "2006-01"}, {"year", "2006"}}

// Period is the balance of an account within the current day, month or year. Current means the clock or the newest
// entry, whichever is later, so that a clock that was set back gives nothing back.
type Period struct {
	Per   string // "day", "month" or "year"
	Name  string // such as 2026-11-21
	Limit Limit
	Cap   *big.Float // mu squared
	Spent *big.Float
	Left  *big.Float
}

// periodsAt returns the balances of all periods that have a cap, at a time.
func (a *account) periodsAt(at time.Time) (out []Period) {
	for i, limit := range a.Budget.limits() {
		if limit == (Limit{}) {
			continue
		}
		p := Period{Per: periods[i].per, Name: at.UTC().Format(periods[i].layout), Limit: limit, Spent: new(big.Float)}
		for _, r := range a.runs {
			if r.State != Released && r.at.UTC().Format(periods[i].layout) == p.Name {
				p.Spent = amount.Sum(p.Spent, r.Mu2)
			}
		}
		p.Cap = amount.Square(a.caps.periods[i])
		p.Left = amount.Left(p.Cap, p.Spent)
		out = append(out, p)
	}
	return out
}

// Free returns the mu squared that the next charge may take: the least of what is left in all and in each period.
func (b Balance) Free() *big.Float {
	free := b.Left
	for _, p := range b.Periods {
		if p.Left.Cmp(free) < 0 {
			free = p.Left
		}
	}
	return free
}

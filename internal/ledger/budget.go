package ledger

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// Budget is the most that an account may spend, in the decimals of the job: over its lifetime, and also within a day, a
// month or a year of the ledger's clock (UTC).
type Budget struct {
	Epsilon string
	Delta   string
	// DeltaCap is the part of Delta that is kept for probabilities of failure. They add up separately and are never
	// traded for mu. It is empty if there is none.
	DeltaCap         string
	Day, Month, Year Limit
}

// Limit is a cap on the spend of one period. The zero Limit is not a cap.
type Limit struct{ Epsilon, Delta string }

// BudgetChange is an entry that opened or changed a budget.
type BudgetChange struct {
	At     time.Time
	Budget Budget
	Reason string // the owner's; may be empty
}

// periods are the spans of time that can have a cap, with the formats of their names (in UTC).
var periods = [3]struct{ per, layout string }{{"day", "2006-01-02"}, {"month", "2006-01"}, {"year", "2006"}}

// caps are the limits of a budget as numbers, each rounded towards less spending.
type caps struct {
	mu      calibrate.Mu // for all mechanisms together
	delta   *big.Rat     // for all shares of delta together
	periods [3]calibrate.Mu
}

// caps returns the limits of a budget as numbers. mu_cap is the largest mu with delta_mu(Epsilon) + DeltaCap <= Delta,
// for the lifetime and for each period.
func (b Budget) caps() (c caps, err error) {
	if c.delta, err = parseShare(b.DeltaCap); err != nil {
		return c, err
	}
	if c.mu, err = muCap(b.Epsilon, b.Delta, c.delta); err != nil {
		return c, err
	}
	for i, limit := range b.limits() {
		if limit == (Limit{}) {
			continue
		}
		// All shares of delta that can ever be charged may be charged in one period.
		if c.periods[i], err = muCap(limit.Epsilon, limit.Delta, c.delta); err != nil {
			return c, err
		}
	}
	return c, nil
}

// limits returns the caps of the periods, in the order of the variable periods.
func (b Budget) limits() [3]Limit { return [3]Limit{b.Day, b.Month, b.Year} }

// sameAs reports whether two budgets have equal values, in any spelling: 1e-5 is 0.00001.
func (b Budget) sameAs(o Budget) bool {
	pairs := [][2]string{{b.Epsilon, o.Epsilon}, {b.Delta, o.Delta}, {zeroIfEmpty(b.DeltaCap), zeroIfEmpty(o.DeltaCap)}}
	for i, limit := range b.limits() {
		other := o.limits()[i]
		pairs = append(pairs, [2]string{zeroIfEmpty(limit.Epsilon), zeroIfEmpty(other.Epsilon)},
			[2]string{zeroIfEmpty(limit.Delta), zeroIfEmpty(other.Delta)})
	}
	return !slices.ContainsFunc(pairs, func(p [2]string) bool {
		x, errX := calibrate.ParseDecimal(p[0])
		y, errY := calibrate.ParseDecimal(p[1])
		return errX != nil || errY != nil || x.Cmp(y) != 0
	})
}

// String describes the budget in words.
func (b Budget) String() string {
	s := fmt.Sprintf("epsilon %s, delta %s", b.Epsilon, b.Delta)
	if b.DeltaCap != "" {
		s += ", of which delta_cap " + b.DeltaCap
	}
	for i, limit := range b.limits() {
		if limit != (Limit{}) {
			s += fmt.Sprintf("; each %s epsilon %s, delta %s", periods[i].per, limit.Epsilon, limit.Delta)
		}
	}
	return s
}

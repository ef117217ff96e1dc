package ledger

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// Budget is the limit on what an account spends, in the decimals of the job: over its lifetime, and also within one
// day, month or year of the ledger's clock (UTC).
type Budget struct {
	Epsilon string
	Delta   string
	// DeltaCap is the part of Delta that is reserved for probabilities of failure (Charge.DeltaShare). These add up
	// under their own cap, and mechanisms cannot use what they leave. Empty means 0.
	DeltaCap         string
	Day, Month, Year Limit
}

// Limit is a cap on the spend within one period; the zero Limit caps nothing.
type Limit struct {
	Delta   string `json:"delta"`
	Epsilon string `json:"epsilon"`
}

// BudgetChange is an entry that opened or changed a budget.
type BudgetChange struct {
	At     time.Time
	Budget Budget
	Reason string // the owner's reason; may be empty
}

// periods are the spans of time that can have a cap, with the formats of their names, such as 2026-11 (UTC).
var periods = [3]struct{ per, layout string }{{"day", "2006-01-02"}, {"month", "2006-01"}, {"year", "2006"}}

// caps are the limits of a budget as numbers. Each is rounded down.
type caps struct {
	mu      calibrate.Mu // the cap on the square root of the sum of all mechanisms' mu squared
	delta   *big.Rat     // the cap on the sum of all charges' DeltaShare
	periods [3]calibrate.Mu
}

// caps returns the limits of a budget as numbers. For the lifetime and for each period, mu_cap is the largest mu for
// which delta_mu(Epsilon) + DeltaCap <= Delta, where delta_mu is the privacy curve of a mu-GDP mechanism.
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
		// The charges of one period may use all of DeltaCap, so it is subtracted from the period's delta, too.
		if c.periods[i], err = muCap(limit.Epsilon, limit.Delta, c.delta); err != nil {
			return c, err
		}
	}
	return c, nil
}

// limits returns the caps of the day, the month and the year, in the order of periods.
func (b Budget) limits() [3]Limit { return [3]Limit{b.Day, b.Month, b.Year} }

// sameAs reports whether two budgets have equal values, even if they are spelt differently: 1e-5 equals 0.00001.
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

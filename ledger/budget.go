package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/ledger/internal/amount"
)

// caps are the limits of a budget as numbers, each rounded towards less spending.
type caps struct {
	mu      calibrate.Mu // for all mechanisms together
	delta   *big.Rat     // for all shares of delta together
	periods [3]calibrate.Mu
}

// caps reads the decimals of a budget. mu_cap is the largest mu with delta_mu(Epsilon) + DeltaCap <= Delta, for the
// lifetime and for each period.
func (b Budget) caps() (c caps, err error) {
	if c.delta, err = parseShare(b.DeltaCap); err != nil {
		return c, err
	}
	if c.mu, err = amount.MuCap(b.Epsilon, b.Delta, c.delta); err != nil {
		return c, err
	}
	for i, limit := range b.limits() {
		if limit == (Limit{}) {
			continue
		}
		// All shares that there will ever be may be spent in one period.
		if c.periods[i], err = amount.MuCap(limit.Epsilon, limit.Delta, c.delta); err != nil {
			return c, err
		}
	}
	return c, nil
}

// limits returns the caps of the periods, in the order of periods.
func (b Budget) limits() [3]Limit { return [3]Limit{b.Day, b.Month, b.Year} }

// guarantee returns the lifetime's guarantee for mechanisms: without the share of delta that is kept for failures.
func (b Budget) guarantee() (calibrate.Guarantee, error) {
	share, err := parseShare(b.DeltaCap)
	if err != nil {
		return calibrate.Guarantee{}, err
	}
	return amount.Guarantee(b.Epsilon, b.Delta, share)
}

// sameAs compares values, not spellings: 1e-5 is 0.00001.
func (b Budget) sameAs(o Budget) bool {
	pairs := [][2]string{{b.Epsilon, o.Epsilon}, {b.Delta, o.Delta}, {orNone(b.DeltaCap), orNone(o.DeltaCap)}}
	for i, limit := range b.limits() {
		other := o.limits()[i]
		pairs = append(pairs, [2]string{orNone(limit.Epsilon), orNone(other.Epsilon)}, [2]string{orNone(limit.Delta), orNone(other.Delta)})
	}
	return !slices.ContainsFunc(pairs, func(p [2]string) bool {
		x, errX := calibrate.ParseDecimal(p[0])
		y, errY := calibrate.ParseDecimal(p[1])
		return errX != nil || errY != nil || x.Cmp(y) != 0
	})
}

// parseShare reads a probability of failure exactly: a decimal of at least 0 and below 1. The empty text is 0.
func parseShare(text string) (*big.Rat, error) {
	d, err := calibrate.ParseDecimal(orNone(text))
	if err != nil {
		return nil, err
	}
	x := d.Rat()
	if x.Sign() < 0 || x.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, errShare
	}
	return x, nil
}

var errShare = errors.New("a share of delta must be at least 0 and below 1")

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}

func orNothing(text string) string {
	if text == none {
		return ""
	}
	return text
}

// SetBudget gives an account a budget, with an entry of its own. If there is no such account, SetBudget opens it beside
// the other accounts of its dataset. If the account has this budget already, nothing is recorded. note says why.
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
		Account: accountBodyOf(of), Epsilon: budget.Epsilon, Delta: budget.Delta, DeltaCap: orNone(budget.DeltaCap), Note: note,
		Day: limitBodyOf(budget.Day), Month: limitBodyOf(budget.Month), Year: limitBodyOf(budget.Year),
	}
	return w.append(KindBudget, body)
}

func limitBodyOf(l Limit) *limitBody {
	if l == (Limit{}) {
		return nil
	}
	return &limitBody{Epsilon: l.Epsilon, Delta: l.Delta}
}

func (b *limitBody) limit() Limit {
	if b == nil {
		return Limit{}
	}
	return Limit{Epsilon: b.Epsilon, Delta: b.Delta}
}

func (b budgetBody) budget() Budget {
	return Budget{
		Epsilon: b.Epsilon, Delta: b.Delta, DeltaCap: orNothing(b.DeltaCap),
		Day: b.Day.limit(), Month: b.Month.limit(), Year: b.Year.limit(),
	}
}

// payer returns the account that pays for a charge to of: the account of that name or, since replacing a unit is
// removing one and adding another, the one for replace-one neighbours. It is nil if there is neither.
func (s *state) payer(of Account) *account {
	if a := s.accounts[of]; a != nil || of.Adjacency != "add-remove" {
		return a
	}
	of.Adjacency = "replace-one"
	return s.accounts[of]
}

// cost returns the mu squared that c costs in the account. To replace a unit is two steps of an add-remove charge,
// which cost twice its mu (Dong, Roth & Su 2022, Theorem 2.14, group privacy). The opposite case would cost less and
// never occurs.
func (a *account) cost(c Charge) *big.Float {
	mu2 := calibrate.ComposedMu2(c.Mechanisms)
	if a.Account.Adjacency != c.Account.Adjacency {
		mu2.SetMantExp(mu2, 2)
	}
	return mu2
}

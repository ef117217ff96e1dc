package ledger

import (
	"context"
	"math"
	"math/big"
	"time"
)

// Quote is what a charge would cost and whether it fits, if it were made now. It reserves nothing: another charge may
// come first.
type Quote struct {
	// Account is the account that would pay. Opens is set if the charge would open it.
	Account Account
	Opens   bool
	// Rooms lists the caps that limit the charge: the lifetime's first, then the periods', then delta_cap if the charge
	// has a DeltaShare. Empty if no account accepts the charge.
	Rooms []Room
	// Balance is the account's balance without the charge; zero if no account accepts the charge.
	Balance Balance
	// Refusal is the error that Charge would return; nil if the charge fits.
	Refusal error
	// Never is set if the charge exceeds one of the caps by itself, so that it would not fit into an unused budget
	// either.
	Never bool
}

// Room compares a charge with one cap.
type Room struct {
	// Per is what the cap limits: mu squared over the lifetime ("total") or within a "day", "month" or "year", or the
	// sum of DeltaShare ("delta_cap"). Name is the name of the period, such as 2026-11-21; "" for total and delta_cap.
	Per, Name string
	// Share is the charge divided by the cap, rounded up. Above 1 the charge can never fit.
	Share float64
	// Fits is the number of further charges of the same size that fit after this one; negative if this one does not
	// fit.
	Fits float64
}

// Quote returns what Charge would answer if it were called now. Errors: ErrCharge if c is not well-formed; errors of
// the store.
func (b *Book) Quote(ctx context.Context, c Charge) (q Quote, err error) {
	if err := c.check(); err != nil {
		return Quote{}, err
	}
	err = b.view(ctx, func(s *state) { q = s.quote(c, s.moment(b.now())) })
	return q, err
}

// QuoteFirst does the same as [Book.Quote] for a ledger without entries. Errors: ErrCharge if c is not well-formed.
func QuoteFirst(c Charge, now time.Time) (Quote, error) {
	if err := c.check(); err != nil {
		return Quote{}, err
	}
	return newState().quote(c, moment{now, now}), nil
}

func (s *state) quote(c Charge, now moment) Quote {
	a, err := s.admit(c)
	if err != nil {
		return Quote{Account: c.Account, Refusal: err}
	}
	q := Quote{Account: a.Account, Opens: s.payer(c.Account) == nil, Refusal: a.checkBudget(c, now)}
	balance, asked := a.balance(now), a.cost(c)
	q.Balance = balance
	q.addRoom("total", "", asked, balance.Cap, balance.Left)
	for _, p := range balance.Periods {
		q.addRoom(p.Per, p.Name, asked, p.Cap, p.Left)
	}
	share, err := parseShare(c.DeltaShare)
	if err != nil || share.Sign() == 0 { // c.check has parsed it, so err is nil
		return q
	}
	r := Room{Per: "delta_cap", Share: math.Inf(1)}
	rest := new(big.Rat).Sub(balance.DeltaCap, balance.DeltaSpent)
	r.Fits, _ = rest.Sub(rest, share).Quo(rest, share).Float64() // rounded to nearest; exact if it is an integer
	if balance.DeltaCap.Sign() > 0 {
		r.Share = ratUp(new(big.Rat).Quo(share, balance.DeltaCap))
	}
	q.Never = q.Never || share.Cmp(balance.DeltaCap) > 0
	q.Rooms = append(q.Rooms, r)
	return q
}

// addRoom appends the comparison of the amount asked, which is above 0, with one cap.
func (q *Quote) addRoom(per, name string, asked, limit, left *big.Float) {
	r := Room{Per: per, Name: name, Fits: ratio(sum(left, new(big.Float).Neg(asked)), asked, big.ToNegativeInf)}
	r.Share = ratio(asked, limit, big.ToPositiveInf) // +Inf if the cap is 0
	q.Never = q.Never || asked.Cmp(limit) > 0
	q.Rooms = append(q.Rooms, r)
}

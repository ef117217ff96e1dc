package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// Receipt proves a durable charge. Only a Book makes one. Copies are the same receipt. The zero Receipt proves nothing.
type Receipt struct{ t *ticket }

// Redeem spends the receipt's charge for m. It succeeds once per query. m must have the charged L2 sensitivity, grid
// and distribution of noise, and a sigma and a scale that are not smaller than charged. A mechanism that was charged to
// follow another one, which must be redeemed first, must instead be Within the charged one. A refusal spends nothing.
// Redeem is safe for concurrent use. Errors: ErrReceipt, ErrRedeem.
func (r Receipt) Redeem(m calibrate.Mechanism) error {
	if r.t == nil {
		return fmt.Errorf("%w: it is empty", ErrReceipt)
	}
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	return r.t.redeem(m)
}

// RedeemShare is Redeem for a mechanism that may fail with a probability. It subtracts failure from the rest of the
// charge's DeltaShare, exactly. A refusal spends nothing. Errors: ErrReceipt, ErrRedeem.
func (r Receipt) RedeemShare(m calibrate.Mechanism, failure calibrate.Delta) error {
	if r.t == nil {
		return fmt.Errorf("%w: it is empty", ErrReceipt)
	}
	asked := new(big.Rat)
	if asked.SetFloat64(float64(failure)) == nil || asked.Sign() < 0 {
		return fmt.Errorf("%w: %q fails with probability %g", ErrRedeem, m.Query, float64(failure))
	}
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if asked.Cmp(r.t.share) > 0 {
		return fmt.Errorf("%w: the share of delta that %q takes was not charged", ErrRedeem, m.Query)
	}
	if err := r.t.redeem(m); err != nil {
		return err
	}
	r.t.share.Sub(r.t.share, asked)
	return nil
}

// redeem is Redeem; the caller holds the lock.
func (t *ticket) redeem(m calibrate.Mechanism) error {
	p := t.mechanisms[m.Query]
	switch {
	case t.stale || t.shut:
		return fmt.Errorf("%w: it is closed", ErrReceipt)
	case p == nil:
		return fmt.Errorf("%w: %q was not charged", ErrRedeem, m.Query)
	case p.redeemed:
		return fmt.Errorf("%w: %q was redeemed before", ErrRedeem, m.Query)
	case p.mechanism.ChosenBy != "":
		if err := t.follows(m, p.mechanism); err != nil {
			return err
		}
	case m.ChosenBy != "":
		return fmt.Errorf("%w: %q was charged with a fixed sensitivity", ErrRedeem, m.Query)
	case m.Sens.L2 != p.mechanism.Sens.L2:
		return fmt.Errorf("%w: %q was charged with another sensitivity", ErrRedeem, m.Query)
	case m.Grid != p.mechanism.Grid:
		return fmt.Errorf("%w: %q was charged with another grid", ErrRedeem, m.Query)
	case m.Noise != p.mechanism.Noise:
		return fmt.Errorf("%w: %q was charged with noise of another distribution", ErrRedeem, m.Query)
	case !(m.Sigma >= p.mechanism.Sigma && m.Scale >= p.mechanism.Scale): // true if one is NaN, too
		return fmt.Errorf("%w: %q has less noise than was charged", ErrRedeem, m.Query)
	}
	p.redeemed, t.drawn = true, true
	return nil
}

// follows checks that m may be drawn under a charge whose sensitivity is chosen from an earlier answer, which must be
// drawn already.
func (t *ticket) follows(m, charged calibrate.Mechanism) error {
	first := t.mechanisms[charged.ChosenBy]
	switch {
	case first == nil || !first.redeemed:
		return fmt.Errorf("%w: %q follows a mechanism that was not redeemed", ErrRedeem, m.Query)
	case !m.Within(charged):
		return fmt.Errorf("%w: %q has a larger sensitivity or less noise for it than was charged", ErrRedeem, m.Query)
	}
	return nil
}

// shutDown ends redeeming. If mustBeUnused is set and a mechanism was redeemed, it returns ErrDrawn and changes
// nothing.
func (t *ticket) shutDown(mustBeUnused bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.stale:
		return fmt.Errorf("%w: it is closed", ErrReceipt)
	case mustBeUnused && t.drawn:
		return ErrDrawn
	}
	t.shut = true
	return nil
}

// retire makes the ticket worthless and reports whether noise was drawn with it.
func (t *ticket) retire() (drawn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stale = true
	return t.drawn
}

// issue makes the receipt for a durable charge.
func (b *Book) issue(c Charge, seq int64) Receipt {
	t := &ticket{book: b, key: key{c.Run, c.Number}, seq: seq,
		mechanisms: make(map[string]*chargedMechanism, len(c.Mechanisms)), share: new(big.Rat)}
	if share, err := parseShare(c.DeltaShare); err == nil { // it was checked when it was charged
		t.share = share
	}
	for _, m := range c.Mechanisms {
		t.mechanisms[m.Query] = &chargedMechanism{mechanism: m}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.live[t.key]; old != nil {
		t.drawn = old.retire()
	}
	b.live[t.key] = t
	return Receipt{t}
}

// Resume returns a receipt for a reserved release, and the recorded charge with its mechanisms. The receipt replaces
// the earlier ones of this Book. Errors: a StateError if the release is not reserved.
func (b *Book) Resume(ctx context.Context, fingerprint string, number int) (Receipt, Charge, error) {
	var (
		c       Charge
		seq     int64
		refusal error
	)
	err := b.view(ctx, func(s *state) {
		r := s.find(fingerprint, number)
		if refusal = (key{fingerprint, number}).expect(r, Reserved, KindReserve); refusal == nil {
			c, seq = r.clone().Charge, r.seq
		}
	})
	if err = errors.Join(err, refusal); err != nil {
		return Receipt{}, Charge{}, err
	}
	return b.issue(c, seq), c, nil
}

// ticketOf returns the ticket of a receipt of this Book.
func (b *Book) ticketOf(r Receipt) (*ticket, error) {
	if r.t == nil || r.t.book != b {
		return nil, fmt.Errorf("%w: it is empty or of another ledger", ErrReceipt)
	}
	return r.t, nil
}

// forget closes a ticket whose run is no longer reserved.
func (b *Book) forget(t *ticket) {
	t.retire()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live[t.key] == t {
		delete(b.live, t.key)
	}
}

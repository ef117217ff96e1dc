package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// Receipt proves that a charge was recorded durably. Only a Book makes one. A copy is the same receipt: a mechanism
// that one of them redeems cannot be redeemed with the other. The zero Receipt proves nothing.
type Receipt struct{ t *ticket }

// Redeem permits one draw of noise for m, and uses up the part of the charge for m's query; a second call for this
// query fails. m must have the charged L2 sensitivity, grid and distribution of noise, and at least the charged sigma
// and scale. If another mechanism's answer decides the sensitivity, that mechanism must be redeemed first, and m must
// be Within the charged one. A refusal uses nothing up. Redeem is safe for concurrent use. Errors: ErrReceipt,
// ErrRedeem.
func (r Receipt) Redeem(m calibrate.Mechanism) error {
	if r.t == nil {
		return fmt.Errorf("%w: it is empty", ErrReceipt)
	}
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	return r.t.redeem(m)
}

// RedeemShare does the same as Redeem for a mechanism that also fails with the probability failure. It subtracts
// failure exactly from what is left of the charge's DeltaShare. A refusal uses nothing up. Errors: ErrReceipt,
// ErrRedeem.
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

// redeem implements Redeem. The caller holds the lock.
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
		if err := t.checkChosen(m, p.mechanism); err != nil {
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
	case !(m.Sigma >= p.mechanism.Sigma && m.Scale >= p.mechanism.Scale): // also true if one is NaN
		return fmt.Errorf("%w: %q has less noise than was charged", ErrRedeem, m.Query)
	}
	p.redeemed, t.drawn = true, true
	return nil
}

// checkChosen checks a mechanism m whose sensitivity was chosen from another mechanism's answer; charged is m as it was
// charged. It returns an error unless the other mechanism was redeemed before and m is Within charged.
func (t *ticket) checkChosen(m, charged calibrate.Mechanism) error {
	first := t.mechanisms[charged.ChosenBy]
	switch {
	case first == nil || !first.redeemed:
		return fmt.Errorf("%w: %q follows a mechanism that was not redeemed", ErrRedeem, m.Query)
	case !m.Within(charged):
		return fmt.Errorf("%w: %q has a larger sensitivity or less noise for it than was charged", ErrRedeem, m.Query)
	}
	return nil
}

// shutDown makes every later redemption fail. If mustBeUnused is set and a mechanism was redeemed, it returns ErrDrawn
// and changes nothing.
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

// retire marks the ticket as replaced or finished. It reports whether noise was drawn with it.
func (t *ticket) retire() (drawn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stale = true
	return t.drawn
}

// issue returns the receipt for a charge that is recorded in entry seq.
func (b *Book) issue(c Charge, seq int64) Receipt {
	t := &ticket{book: b, key: key{c.Run, c.Number}, seq: seq,
		mechanisms: make(map[string]*chargedMechanism, len(c.Mechanisms)), share: new(big.Rat)}
	if share, err := parseShare(c.DeltaShare); err == nil { // Charge has parsed it, so err is nil
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

// Resume returns a new receipt for a reserved release, and the charge as recorded. The receipt replaces earlier ones of
// this Book. Errors: a StateError if the release is not reserved.
func (b *Book) Resume(ctx context.Context, fingerprint string, number int) (Receipt, Charge, error) {
	var (
		c       Charge
		seq     int64
		refusal error
	)
	err := b.view(ctx, func(s *state) {
		r := s.find(fingerprint, number)
		if refusal = (key{fingerprint, number}).checkState(r, Reserved, KindReserve); refusal == nil {
			c, seq = r.clone().Charge, r.seq
		}
	})
	if err = errors.Join(err, refusal); err != nil {
		return Receipt{}, Charge{}, err
	}
	return b.issue(c, seq), c, nil
}

func (b *Book) ticketOf(r Receipt) (*ticket, error) {
	if r.t == nil || r.t.book != b {
		return nil, fmt.Errorf("%w: it is empty or of another ledger", ErrReceipt)
	}
	return r.t, nil
}

// forget drops the ticket of a release that is no longer reserved.
func (b *Book) forget(t *ticket) {
	t.retire()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live[t.key] == t {
		delete(b.live, t.key)
	}
}

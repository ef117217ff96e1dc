package ledger

import (
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// RedeemShare is Redeem for a mechanism that may fail with a probability. It subtracts failure from what is left of the
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

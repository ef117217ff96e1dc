package ledger

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Withdraw records that a published release is wrong, and why. It stays charged, since its values were seen. Its
// re-renderings are withdrawn with it. A second call for the same release changes nothing. Errors: ErrCharge if the
// reason is empty or not UTF-8; a StateError if the release is not published.
func (b *Book) Withdraw(ctx context.Context, fingerprint string, number int, reason string) error {
	if strings.TrimSpace(reason) == "" || !utf8.ValidString(reason) {
		return fmt.Errorf("%w: a withdrawal needs a reason, in UTF-8", ErrCharge)
	}
	k := key{fingerprint, number}
	return b.update(ctx, func(w *writer) error {
		r := w.state.find(fingerprint, number)
		if err := k.checkState(r, Published, KindWithdraw); err != nil {
			return err
		}
		if r.Withdrawn != nil {
			return nil
		}
		return w.append(KindWithdraw, withdrawBody{Number: number, Reason: reason, Run: fingerprint})
	})
}

func (s *state) applyWithdraw(e Entry) error {
	b, err := decode[withdrawBody](e)
	if err != nil {
		return err
	}
	r := s.find(b.Run, b.Number)
	if r == nil || r.State != Published || r.Withdrawn != nil {
		return &CorruptError{e.Seq, "it withdraws what is not published, or twice"}
	}
	r.Withdrawn = &Withdrawal{At: e.Time, Reason: b.Reason}
	return nil
}

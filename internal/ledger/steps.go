package ledger

import (
	"context"
	"fmt"
	"path/filepath"
	"unicode/utf8"
)

// Seal records the digests of a completely written release, before it is published, and closes the receipt. The caller
// can repeat the call after an error: digests that are already recorded stay. Errors: ErrReceipt, ErrDigest; a
// StateError if the release is not reserved; a MismatchError if it was sealed with other digests.
func (b *Book) Seal(ctx context.Context, r Receipt, d Digests) error {
	t, err := b.ticketOf(r)
	if err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	if err := t.shutDown(false); err != nil {
		return err
	}
	if err := b.update(ctx, func(w *writer) error { return w.seal(t, d) }); err != nil {
		return err
	}
	b.forget(t)
	return nil
}

func (d Digests) check() error {
	if d.Input != "" {
		if err := checkDigest(d.Input); err != nil {
			return err
		}
	}
	if err := checkDigest(d.Rendering); err != nil {
		return err
	}
	return checkDigest(d.Release)
}

func (w *writer) seal(t *ticket, d Digests) error {
	r := w.state.find(t.key.run, t.key.number)
	if err := t.checkCurrent(r); err != nil {
		return err
	}
	if r.State == Sealed || r.State == Published {
		if r.Digests != d {
			return &MismatchError{t.key.run, t.key.number, "digests"}
		}
		return nil
	}
	if err := t.key.checkState(r, Reserved, KindSeal); err != nil {
		return err
	}
	return w.append(KindSeal, sealBody{Input: d.Input, Number: t.key.number, Rendering: d.Rendering,
		Release: d.Release, Run: t.key.run})
}

// Publish records that the sealed release is visible in its Dir. A second call has no effect. It returns a StateError
// if the release is not sealed.
func (b *Book) Publish(ctx context.Context, fingerprint string, number int) error {
	return b.PublishAt(ctx, fingerprint, number, "")
}

// PublishAt does the same as Publish for a release that became visible in dir instead of its Charge.Dir. dir is
// recorded as its Dir; if dir is empty, Charge.Dir stays.
func (b *Book) PublishAt(ctx context.Context, fingerprint string, number int, dir string) error {
	if dir != "" && !filepath.IsAbs(dir) || !utf8.ValidString(dir) {
		return fmt.Errorf("%w: the release folder is not an absolute path", ErrCharge)
	}
	k := key{fingerprint, number}
	return b.update(ctx, func(w *writer) error { return w.step(k, Published, stepBody{Dir: dir}) })
}

// Cancel cancels a reservation and closes the receipt. It returns ErrDrawn if this process redeemed any part of the
// charge, with this receipt or one that it replaced. The caller can repeat the call after an error. Errors: ErrReceipt,
// ErrDrawn; a StateError if the release is sealed or published.
func (b *Book) Cancel(ctx context.Context, r Receipt) error {
	t, err := b.ticketOf(r)
	if err != nil {
		return err
	}
	if err := t.shutDown(true); err != nil {
		return err
	}
	err = b.update(ctx, func(w *writer) error {
		if err := t.checkCurrent(w.state.find(t.key.run, t.key.number)); err != nil {
			return err
		}
		return w.step(t.key, Cancelled, stepBody{})
	})
	if err != nil {
		return err
	}
	b.forget(t)
	return nil
}

// checkCurrent returns an error if another process cancelled the ticket's reservation and reserved the run again.
func (t *ticket) checkCurrent(r *run) error {
	if r == nil || r.seq != t.seq {
		return fmt.Errorf("%w: another process cancelled this reservation and made a new one", ErrReceipt)
	}
	return nil
}

// step appends an entry with this body that moves a release to the state to. If the release is in that state already,
// it appends nothing.
func (w *writer) step(k key, to State, body stepBody) error {
	kind := kinds[to]
	r := w.state.find(k.run, k.number)
	if r != nil && r.State == to {
		return nil
	}
	if err := k.checkState(r, precedingState[to], kind); err != nil {
		return err
	}
	body.Number, body.Run = k.number, k.run
	return w.append(kind, body)
}

// kinds maps a state to the kind of entry that moves a release to it.
var kinds = map[State]Kind{Published: KindPublish, Cancelled: KindCancel}

// checkState returns a StateError if r is nil or not in the state want. step is the kind of entry that the caller wants
// to append.
func (k key) checkState(r *run, want State, step Kind) error {
	switch {
	case r == nil:
		return &StateError{k.run, k.number, "", step}
	case r.State != want:
		return &StateError{k.run, k.number, r.State, step}
	}
	return nil
}

package ledger

import (
	"context"
	"fmt"
	"path/filepath"
	"unicode/utf8"
)

// Seal records the digests of a complete staging and closes the receipt. After an error it can be called again: what
// was recorded with the same digests stays. Errors: ErrReceipt, ErrDigest; a StateError if the run is not reserved;
// a MismatchError if it was sealed with other digests.
func (b *Book) Seal(ctx context.Context, r Receipt, d Digests) error {
	t, err := b.own(r)
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
	if d.Presentation != "" {
		if err := checkDigest(d.Presentation); err != nil {
			return err
		}
	}
	return checkDigest(d.Release)
}

func (w *writer) seal(t *ticket, d Digests) error {
	r := w.state.find(t.key.run, t.key.number)
	if err := t.holds(r); err != nil {
		return err
	}
	if r.State == Sealed || r.State == Published {
		if r.Digests != d {
			return &MismatchError{t.key.run, t.key.number, "digests"}
		}
		return nil
	}
	if err := t.key.expect(r, Reserved, KindSeal); err != nil {
		return err
	}
	return w.append(KindSeal, sealBody{Input: d.Input, Number: t.key.number, Presentation: d.Presentation, Release: d.Release, Run: t.key.run})
}

// Publish records that the sealed release is visible at its Dir. Again, it has no effect. Errors: a StateError if
// the release is not sealed.
func (b *Book) Publish(ctx context.Context, question string, number int) error {
	return b.PublishAt(ctx, question, number, "")
}

// PublishAt is Publish of a release that became visible at another folder than that of its reservation; from then on dir is
// its Dir. An empty dir is that of the reservation.
func (b *Book) PublishAt(ctx context.Context, question string, number int, dir string) error {
	if dir != "" && !filepath.IsAbs(dir) || !utf8.ValidString(dir) {
		return fmt.Errorf("%w: the release folder is not an absolute path", ErrCharge)
	}
	k := key{question, number}
	return b.update(ctx, func(w *writer) error { return w.step(k, Published, stepBody{Dir: dir}) })
}

// Release gives a reservation back and closes the receipt; refused with ErrDrawn once any part was redeemed in this
// process, by this receipt or by one that it replaced. After an error it can be called again.
// Errors: ErrReceipt, ErrDrawn; a StateError if the run is sealed or published.
func (b *Book) Release(ctx context.Context, r Receipt) error {
	t, err := b.own(r)
	if err != nil {
		return err
	}
	if err := t.shutDown(true); err != nil {
		return err
	}
	err = b.update(ctx, func(w *writer) error {
		if err := t.holds(w.state.find(t.key.run, t.key.number)); err != nil {
			return err
		}
		return w.step(t.key, Released, stepBody{})
	})
	if err != nil {
		return err
	}
	b.forget(t)
	return nil
}

// holds refuses a ticket whose reservation was given back and made anew, by another process.
func (t *ticket) holds(r *run) error {
	if r == nil || r.seq != t.seq {
		return fmt.Errorf("%w: the run was reserved anew", ErrReceipt)
	}
	return nil
}

// step moves a run to a state; one that is there already stays.
func (w *writer) step(k key, to State, body stepBody) error {
	kind := kinds[to]
	r := w.state.find(k.run, k.number)
	if r != nil && r.State == to {
		return nil
	}
	if err := k.expect(r, before[to], kind); err != nil {
		return err
	}
	body.Number, body.Run = k.number, k.run
	return w.append(kind, body)
}

// kinds are the entries that move a run to a state.
var kinds = map[State]Kind{Published: KindPublish, Released: KindRelease}

// expect refuses a step of a run that is not in the state from which it goes.
func (k key) expect(r *run, want State, step Kind) error {
	switch {
	case r == nil:
		return &StateError{k.run, k.number, "", step}
	case r.State != want:
		return &StateError{k.run, k.number, r.State, step}
	}
	return nil
}

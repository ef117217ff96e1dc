package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// How a ledger moves to another store
//
//   1. The new store is made with the old one's secret. It is incoming: nobody can open it as a ledger.
//   2. One transaction of the old store, during which nobody else can add an entry, copies the entries that the new
//      store lacks, reads the new store again from its first entry, checks its chain, and compares its head. Then it
//      appends the entry that names the new store and closes the old one.
//   3. The new store is activated.
//
// A move that is interrupted can be repeated. Before the end of step 2 the old ledger is open and the new one is not.
// After it the old one is closed, and a repeated move continues with step 3. At no moment are both open.

// Arrival is a store into which a ledger is copied. Until it is activated, nobody else can open it as a ledger.
type Arrival interface {
	Store
	// Incoming reports whether the store is not yet a ledger: it was made for a copy and never activated.
	Incoming(ctx context.Context) (bool, error)
	// Activate makes the store a ledger. A second call has no effect.
	Activate(ctx context.Context) error
}

// lockMove is the name of the lock that a move holds. No run has this fingerprint.
const lockMove = "\x00move"

// Move copies the ledger to a store that was made with the same secret, closes this ledger by an entry that names the
// new store, and activates the new store. name is the new store's name in messages; it must hold no password. Move
// returns the head of the new ledger. After any error it can be repeated with the same name. Errors: ErrBusy if a run
// or another move is in progress; a MovedError if the ledger was moved elsewhere; ErrOccupied if the new store has
// another secret, or entries of another ledger.
func (b *Book) Move(ctx context.Context, to Arrival, name string) (Head, error) {
	if name == "" || !utf8.ValidString(name) {
		return Head{}, fmt.Errorf("%w: the new ledger has no name, or one that is not UTF-8", ErrCharge)
	}
	unlock, err := b.lockAll(ctx)
	if err != nil {
		return Head{}, err
	}
	defer unlock()
	if err := b.sameSecret(ctx, to); err != nil {
		return Head{}, err
	}
	var head Head
	err = b.store.Update(ctx, func(tx Tx) (err error) {
		head, err = b.moveWithin(ctx, tx, to, name)
		return err
	})
	if err != nil {
		return Head{}, err
	}
	return head, to.Activate(ctx)
}

// Idle returns the error with which a move would fail because a run or another move is at work. A caller makes no place
// for the new ledger then.
func (b *Book) Idle(ctx context.Context) error {
	unlock, err := b.lockAll(ctx)
	if err == nil {
		unlock()
	}
	return err
}

// lockAll locks out other moves, and locks every run that has a reserved or sealed release.
func (b *Book) lockAll(ctx context.Context) (unlock func(), err error) {
	var held []func()
	unlock = func() {
		for _, u := range held {
			u()
		}
	}
	names := []string{lockMove}
	err = b.view(ctx, func(s *state) {
		for fingerprint, runs := range s.runs {
			for _, r := range runs {
				if r.State == Reserved || r.State == Sealed {
					names = append(names, fingerprint)
					break
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		u, err := b.store.Lock(ctx, name)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, u)
	}
	return unlock, nil
}

// sameSecret returns an error if a store was made with another secret.
func (b *Book) sameSecret(ctx context.Context, to Store) error {
	own, err1 := b.store.Secret(ctx)
	other, err2 := to.Secret(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if !bytes.Equal(own, other) {
		return fmt.Errorf("%w: it was made with another secret", ErrOccupied)
	}
	return nil
}

// moveWithin carries out step 2 of a move, within a transaction tx of the old store.
func (b *Book) moveWithin(ctx context.Context, tx Tx, to Arrival, name string) (Head, error) {
	var log []Entry
	s := newState()
	if err := s.catchUp(tx, &log); err != nil {
		return Head{}, err
	}
	closed := s.moved != nil
	if closed {
		if s.moved.To != name {
			return Head{}, &MovedError{*s.moved}
		}
		log = log[:len(log)-1]
	}
	head := Head{}
	if n := len(log); n > 0 {
		head = Head{log[n-1].Seq, log[n-1].Hash}
	}
	if incoming, err := to.Incoming(ctx); err != nil {
		return Head{}, err
	} else if !incoming && !closed {
		return Head{}, occupiedBy(ctx, to, head)
	}
	if err := copyLog(ctx, log, to, closed); err != nil {
		return Head{}, err
	}
	err := checkArrived(ctx, to, head)
	if err != nil || closed {
		return head, err
	}
	w := &writer{tx: tx, state: s, head: head, now: b.now()}
	return head, w.append(KindMove, moveBody{To: name})
}

// checkArrived reads a copy and checks its hash chain. It returns an error if the chain is broken, or if the copy lacks
// the entry whose hash is head.Hash.
func checkArrived(ctx context.Context, to Store, head Head) error {
	return to.View(ctx, func(r Reader) error {
		arrived := newState()
		if err := arrived.catchUp(r, nil); err != nil {
			return err
		}
		if n := int(head.Seq); len(arrived.hashes) < n || n > 0 && arrived.hashes[n-1] != head.Hash {
			return &CorruptError{head.Seq, "the copy does not end at it"}
		}
		return nil
	})
}

// copyLog appends to a store the entries of log that it lacks. It returns an error if the store's own entries differ
// from the first ones of log. closed is set if the old ledger is closed: the store may then have further entries, since
// it may be in use already.
func copyLog(ctx context.Context, log []Entry, to Store, closed bool) error {
	return to.Update(ctx, func(tx Tx) error {
		n := 0
		for e, err := range tx.Entries(1) {
			switch {
			case err != nil:
				return err
			case n == len(log) && closed:
				return nil
			case n == len(log):
				return ErrOlder
			case e.Hash != log[n].Hash || e.chain(hashBefore(log, n)) != e.Hash:
				return fmt.Errorf("%w: its entry %d is not this ledger's", ErrOccupied, e.Seq)
			}
			n++
		}
		for _, e := range log[n:] {
			if err := tx.Append(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// occupiedBy returns the reason why an open ledger whose newest entry is head cannot be copied to a store that is a
// ledger already: ErrOlder if that store has the same entries and more, otherwise ErrOccupied.
func occupiedBy(ctx context.Context, to Store, head Head) error {
	there := newState()
	if err := to.View(ctx, func(r Reader) error { return there.catchUp(r, nil) }); err != nil {
		return err
	}
	if n := int(head.Seq); n > 0 && n < len(there.hashes) && there.hashes[n-1] == head.Hash {
		return ErrOlder
	}
	return fmt.Errorf("%w, and this one is not closed", ErrOccupied)
}

// hashBefore returns the hash of the entry before entry i of a log; the zero Hash for the first entry.
func hashBefore(log []Entry, i int) Hash {
	if i == 0 {
		return Hash{}
	}
	return log[i-1].Hash
}

// Moved returns the store in which the ledger goes on, or nil if the ledger is open.
func (b *Book) Moved(ctx context.Context) (m *Move, err error) {
	err = b.view(ctx, func(s *state) { m = s.moved })
	return m, err
}

func (s *state) applyMove(e Entry) error {
	b, err := decode[moveBody](e)
	if err != nil {
		return err
	}
	s.moved = &Move{At: e.Time, To: b.To}
	return nil
}

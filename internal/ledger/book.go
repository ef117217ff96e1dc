package ledger

import (
	"context"
	"maps"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// Book charges runs, and records their progress, in the log that a Store keeps. It is safe for concurrent use. It
// remembers the entries that it has verified, so that a long-lived Book reads each entry once.
type Book struct {
	store Store
	now   func() time.Time

	mu    sync.Mutex
	state *state
	live  map[key]*ticket
}

// Snapshot is the state of the whole ledger at one moment.
type Snapshot struct {
	Head     Head
	Accounts []Balance
	Runs     []Run
	// Moved is set if the ledger is closed and goes on in another store.
	Moved *Move
}

// ticket is the state that a receipt refers to: what can still be redeemed in this process. If a release is charged
// again, a new ticket replaces the older one.
type ticket struct {
	book *Book
	key  key
	seq  int64 // the sequence number of the reservation's entry

	mu         sync.Mutex
	mechanisms map[string]*chargedMechanism // by the mechanism's name (Mechanism.Query)
	drawn      bool                         // a mechanism was redeemed, with this ticket or with one that it replaced
	shut       bool                         // no mechanism can be redeemed any more
	stale      bool                         // a newer ticket replaced this one, or the release was sealed or cancelled
	share      *big.Rat                     // the part of the charge's DeltaShare that is left
}

type key struct {
	run    string
	number int
}

type chargedMechanism struct {
	mechanism calibrate.Mechanism
	redeemed  bool
}

// NewBook returns a Book over s. now returns the current time (time.Now).
func NewBook(s Store, now func() time.Time) *Book {
	return &Book{store: s, now: now, state: newState(), live: map[key]*ticket{}}
}

// Close closes the store of the ledger. Nothing is lost if that fails: each entry was durable when it was made.
func (b *Book) Close() error { return b.store.Close() }

// Lookup returns the newest release of a run that was not cancelled. If all were cancelled, it returns the newest; if
// the run has no release, ok is false. fingerprint identifies the run (Charge.Run).
func (b *Book) Lookup(ctx context.Context, fingerprint string) (r Run, ok bool, err error) {
	err = b.view(ctx, func(s *state) {
		found := s.findNewest(fingerprint)
		if ok = found != nil; ok {
			r = found.clone()
		}
	})
	return r, ok, err
}

// Runs returns every release, by account, in the order of the first reservations.
func (b *Book) Runs(ctx context.Context) ([]Run, error) {
	s, err := b.Snapshot(ctx)
	return s.Runs, err
}

// Snapshot returns the head, the balance of every account in the order in which the accounts were opened, and every
// release, by account, in the order of the first reservations.
func (b *Book) Snapshot(ctx context.Context) (out Snapshot, err error) {
	err = b.view(ctx, func(s *state) { out = s.snapshot(b.now()) })
	return out, err
}

func (s *state) snapshot(now time.Time) Snapshot {
	out := Snapshot{Head: s.head, Moved: s.moved}
	for _, a := range s.opened {
		out.Accounts = append(out.Accounts, a.balance(s.moment(now)))
		for _, r := range a.runs {
			out.Runs = append(out.Runs, r.clone())
		}
	}
	return out
}

// Balance returns the balance of the account that would pay for a charge to the account name; ok is false if no account
// would.
func (b *Book) Balance(ctx context.Context, name Account) (out Balance, ok bool, err error) {
	err = b.view(ctx, func(s *state) {
		a := s.payer(name)
		if ok = a != nil; ok {
			out = a.balance(s.moment(b.now()))
		}
	})
	return out, ok, err
}

// Head returns the sequence number and hash of the newest entry.
func (b *Book) Head(ctx context.Context) (h Head, err error) {
	err = b.view(ctx, func(s *state) { h = s.head })
	return h, err
}

// Entries reads and verifies the whole log anew and returns it.
func (b *Book) Entries(ctx context.Context) (out []Entry, err error) {
	err = b.store.View(ctx, func(r Reader) error {
		out = nil
		return newState().catchUp(r, &out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Lock locks a run: no other process can charge or publish it until unlock is called. It returns ErrBusy if another
// live process, or another call in this process, holds the lock.
func (b *Book) Lock(ctx context.Context, fingerprint string) (unlock func(), err error) {
	return b.store.Lock(ctx, fingerprint)
}

// LockFolder locks a folder, Charge.Dir, until unlock is called. Every process that publishes into dir or deletes a
// publication there holds this lock. It returns ErrBusy as Lock does.
func (b *Book) LockFolder(ctx context.Context, dir string) (unlock func(), err error) {
	return b.store.Lock(ctx, "folder\x00"+dir)
}

func (b *Book) view(ctx context.Context, fn func(*state)) error {
	return b.store.View(ctx, func(r Reader) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		if err := b.state.catchUp(r, nil); err != nil {
			return err
		}
		fn(b.state)
		return nil
	})
}

// update runs fn on the current state, within a transaction that can append entries. The appended entries become part
// of the state at the next transaction, when they are stored.
func (b *Book) update(ctx context.Context, fn func(*writer) error) error {
	return b.store.Update(ctx, func(tx Tx) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		if err := b.state.catchUp(tx, nil); err != nil {
			return err
		}
		if b.state.moved != nil {
			return &MovedError{*b.state.moved}
		}
		return fn(&writer{tx: tx, state: b.state, head: b.state.head, now: b.now()})
	})
}

// clone copies a run, so that a caller cannot change the state.
func (r *run) clone() Run {
	out := r.Run
	out.Charge, out.Mu2, out.Rerenderings = out.Charge.clone(), new(big.Float).Set(out.Mu2), slices.Clone(out.Rerenderings)
	out.Pruned = maps.Clone(out.Pruned)
	return out
}

func (c Charge) clone() Charge {
	c.Params, c.Units = maps.Clone(c.Params), maps.Clone(c.Units)
	c.Mechanisms = slices.Clone(c.Mechanisms)
	return c
}

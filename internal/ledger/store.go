package ledger

import (
	"context"
	"iter"
)

// Store is an append-only, transactional log, with a secret and locks. It stores entries without reading their bodies;
// a Book interprets them and checks the hash chain. A Store is safe for concurrent use by goroutines and, if it is
// durable, by processes.
//
// A transaction sees at least the entries that earlier transactions of the same Store value saw. A Store may call the
// functions given to Update and View again from the start, so these must have no effect except through their argument.
// They must not call the Store.
type Store interface {
	// Update runs fn in one serializable transaction. The entries are durable when Update returns nil, and not stored
	// if fn returns an error. If the commit itself fails, the entries may be stored or not. It returns ErrBusy if
	// another process held the log for too long.
	Update(ctx context.Context, fn func(Tx) error) error
	// View runs fn on a consistent state of the log.
	View(ctx context.Context, fn func(Reader) error) error
	// Secret returns the 32 random bytes that were drawn when the log was made. No entry holds them.
	Secret(ctx context.Context) ([]byte, error)
	// Lock locks name until unlock is called; a second call of unlock has no effect. Lock does not wait: it returns
	// ErrBusy if another call, in this or another live process, holds the lock. A process that ends loses its locks.
	Lock(ctx context.Context, name string) (unlock func(), err error)
	// Close frees the store. Locks stay until they are unlocked.
	Close() error
}

// Reader reads a log within a transaction.
type Reader interface {
	// Last returns the head. The store keeps it separately from the entries, so that the loss of the last entries is
	// noticed.
	Last() (Head, error)
	// Entries yields the entries in order, starting with sequence number from, and stops at the first error.
	Entries(from int64) iter.Seq2[Entry, error]
}

// Tx reads and extends a log within a transaction.
type Tx interface {
	Reader
	// Append adds e. Its Seq must be one more than the last.
	Append(e Entry) error
}

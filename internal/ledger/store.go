package ledger

import (
	"context"
	"iter"
)

// Store is an append-only, transactional log with a secret and locks beside it. It keeps entries; a Book gives them
// meaning and checks the chain. A Store is safe for concurrent use by goroutines and, if it is durable, by processes.
//
// The view of one Store value never goes backwards: a transaction sees at least the entries that an earlier one of the
// same value saw. A Store may call the functions given to Update and View again from the start. These functions act
// only through their argument, and must not call the Store.
type Store interface {
	// Update runs fn in one serializable transaction. It is durable when Update returns nil, and stores nothing if fn
	// returns an error. After an error of the commit itself the transaction may be done or not. It returns ErrBusy if
	// another process held the log for too long.
	Update(ctx context.Context, fn func(Tx) error) error
	// View runs fn on a consistent state of the log.
	View(ctx context.Context, fn func(Reader) error) error
	// Secret returns the 32 random bytes that were made with the log. No entry holds them.
	Secret(ctx context.Context) ([]byte, error)
	// Lock locks name for this call until unlock, which may be called twice. It does not wait: it returns ErrBusy if
	// any other call, of this or another live process, holds the lock. A dead process holds none.
	Lock(ctx context.Context, name string) (unlock func(), err error)
	// Close frees the store; it does not unlock.
	Close() error
}

// Reader reads a log within a transaction.
type Reader interface {
	// Last returns the head. The store keeps it apart from the entries, so that lost entries at the end are noticed.
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

package ledger

import (
	"context"
	"encoding/hex"
	"iter"
)

// Hash is the SHA-256 of an entry and of all entries before it.
type Hash [32]byte

// String returns the hash in hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Head names the newest entry of a log. The zero Head is that of an empty log.
type Head struct {
	Seq  int64
	Hash Hash
}

// Store is an append-only, transactional log with a secret and locks beside it. It keeps entries; a Book gives them
// meaning and checks the chain. Safe for concurrent use by goroutines and, if it is durable, by processes.
//
// What one Store value shows never goes backwards: a transaction sees at least what an earlier one of the same value
// saw. The functions handed to Update and View may be called again from the start, have no effect but through their
// argument, and must not call the Store.
type Store interface {
	// Update runs fn in one serializable transaction. It is durable when Update returns nil and has left nothing behind
	// when fn returns an error. An error of the commit itself may leave it done or not done. ErrBusy: another process
	// held the log for too long.
	Update(ctx context.Context, fn func(Tx) error) error
	// View runs fn on a consistent state of the log.
	View(ctx context.Context, fn func(Reader) error) error
	// Secret returns the 32 random bytes that were made with the log. They stand in no entry.
	Secret(ctx context.Context) ([]byte, error)
	// Lock holds name for this call until unlock, which may be called twice. It does not wait: ErrBusy if any other
	// call, of this or another living process, holds it. A dead process holds nothing.
	Lock(ctx context.Context, name string) (unlock func(), err error)
	// Close frees the store; it does not unlock.
	Close() error
}

// Reader reads a log within a transaction.
type Reader interface {
	// Last returns the head, which the store keeps apart from the entries so that a lost tail shows.
	Last() (Head, error)
	// Entries yields the entries in order, from sequence number from on, and stops at the first error.
	Entries(from int64) iter.Seq2[Entry, error]
}

// Tx reads and extends a log within a transaction.
type Tx interface {
	Reader
	// Append adds e, whose Seq must be one more than the last.
	Append(e Entry) error
}

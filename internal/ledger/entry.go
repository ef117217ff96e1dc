package ledger

import (
	"encoding/hex"
	"time"
)

// Schema is the version of the entry format. Entries of newer versions are refused (ErrNewer).
const Schema = 1

// Kind is what an entry does.
type Kind string

// The kinds of entries.
const (
	KindBudget  Kind = "budget"  // opens an account with a budget, or changes its budget
	KindReserve Kind = "reserve" // charges a release
	KindSeal    Kind = "seal"    // records the digests of a release's input and files
	KindPublish Kind = "publish" // records that a sealed release is visible
	KindCancel  Kind = "cancel"  // cancels a reservation
	// KindRerender records a re-rendering of a published release. It shows the same noisy values and charges nothing.
	KindRerender Kind = "rerender"
	// KindWithdraw records that a published release is wrong, and why. The release stays charged.
	KindWithdraw Kind = "withdraw"
	// KindPrune records that the folder of a publication was deleted on purpose. The release stays charged.
	KindPrune Kind = "prune"
	// KindMove closes the log, since the ledger goes on in another store. It is the last entry.
	KindMove Kind = "move"
)

// Entry is one record of the log.
type Entry struct {
	Seq    int64 // from 1, without gaps
	Schema int
	Time   time.Time // UTC; may be before the time of the previous entry, if the clock was set back
	Kind   Kind
	Body   []byte // JSON, keys sorted, no spaces
	Hash   Hash   // over the previous entry's hash and every field above
}

// TimeText returns Time in the format in which it is hashed and stored: RFC 3339 with nanoseconds, UTC.
func (e Entry) TimeText() string { return e.Time.UTC().Format(time.RFC3339Nano) }

// Hash is a hash in the chain of entries: a SHA-256 that covers an entry and all entries before it.
type Hash [32]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Head identifies the newest entry of a log. The zero Head belongs to an empty log.
type Head struct {
	Seq  int64
	Hash Hash
}

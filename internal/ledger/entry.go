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
	KindBudget  Kind = "budget"  // opens the budget of an account, or changes it
	KindReserve Kind = "reserve" // charges a run
	KindSeal    Kind = "seal"    // binds a run to its digests
	KindPublish Kind = "publish" // records that a sealed run is visible
	KindCancel  Kind = "cancel"  // cancels a run's reservation
	// binds a re-rendering to a published run, whose noisy values it repeats; it charges nothing
	KindRerender Kind = "rerender"
	// KindWithdraw records that a published run is wrong, and why; its spend stays.
	KindWithdraw Kind = "withdraw"
	// KindPrune records that the folder of a publication is deleted, since it is no longer needed; its spend stays.
	KindPrune Kind = "prune"
	// KindMove closes the log: the ledger goes on in another store. It is the last entry.
	KindMove Kind = "move"
)

// Entry is one record of the log.
type Entry struct {
	Seq    int64 // from 1, without gaps
	Schema int
	Time   time.Time // UTC, by the clock, so it may go backwards
	Kind   Kind
	Body   []byte // JSON, keys sorted, no spaces
	Hash   Hash   // over the previous entry's hash and every field above
}

// TimeText returns the time as it is hashed and stored: RFC 3339 with nanoseconds, UTC.
func (e Entry) TimeText() string { return e.Time.UTC().Format(time.RFC3339Nano) }

// Hash is the SHA-256 of an entry and all entries before it.
type Hash [32]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Head identifies the newest entry of a log. The zero Head belongs to an empty log.
type Head struct {
	Seq  int64
	Hash Hash
}

package ledger

// The errors of a Store and a Book, except those that refuse a charge (refusals.go). Their texts quote no database
// driver, since a driver's text can hold private values.

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrBusy means that another process or another call holds a lock. The same call may succeed later.
	ErrBusy = errors.New("the ledger is in use by another run")
	// ErrCorrupt means that the log is damaged; a CorruptError names the entry.
	ErrCorrupt = errors.New("the ledger is damaged")
	// ErrNewer means that a newer version of this program wrote the log.
	ErrNewer = errors.New("the ledger was written by a newer version")
	// ErrNotLedger means that the store holds something other than a ledger.
	ErrNotLedger = errors.New("not a ledger")
	// ErrReadOnly means that the log cannot be written.
	ErrReadOnly = errors.New("the ledger is read-only")
	// ErrFull means that no space is left for the log.
	ErrFull = errors.New("no space is left for the ledger")
	// ErrAbsent means that there is no log and the caller did not ask to make one. It is an ErrUnavailable.
	ErrAbsent error = unavailable("there is no ledger")
	// ErrUnavailable means that the log cannot be reached, read or written for any other reason.
	ErrUnavailable = errors.New("the ledger is not available")
	// ErrIncoming means that the log is an unfinished copy of another one, and not a ledger yet.
	ErrIncoming = errors.New("the ledger is a copy that was not finished")
	// ErrOccupied means that a log cannot be copied to a store that holds another one.
	ErrOccupied = errors.New("the target holds another ledger")
	// ErrOlder means that a log cannot be copied to a store that holds more entries of the same log. It is an
	// ErrOccupied.
	ErrOlder error = older{}
	// ErrExposed means that other users could change the log, replace it by an older copy or read its secret. It is an
	// ErrUnavailable.
	ErrExposed error = unavailable("other users can read or write the ledger")
	// ErrSecondPath means that the log's file has a second path. A program that opens it there has another journal and
	// other locks. It is an ErrUnavailable.
	ErrSecondPath error = unavailable("the ledger has a second path")

	// ErrCharge means that a charge is not well-formed.
	ErrCharge = errors.New("not a valid charge")
	// ErrDigest means that a digest is not 64 digits of lower-case hex.
	ErrDigest = errors.New("not a SHA-256 digest in hex")
	// ErrReceipt means that a receipt is empty, closed, replaced by a newer one, or made by another Book.
	ErrReceipt = errors.New("not a valid receipt")
	// ErrRedeem means that a mechanism differs from the charged one, or was redeemed before.
	ErrRedeem = errors.New("not covered by the receipt")
	// ErrPublication means that noisy values do not belong to a published release.
	ErrPublication = errors.New("not covered by a publication")
	// ErrDrawn means that a reservation cannot be cancelled, because noise was drawn under it.
	ErrDrawn = errors.New("noise was drawn on this charge: it stays")
)

type older struct{}

func (older) Error() string {
	return "there is the same ledger with more entries: this one is an older copy"
}

func (older) Is(target error) bool { return target == ErrOccupied }

type unavailable string

func (u unavailable) Error() string { return string(u) }

func (u unavailable) Is(target error) bool { return target == ErrUnavailable }

// CorruptError names the damaged entry of a log, and the damage.
type CorruptError struct {
	Seq int64
	Why string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%v: entry %d: %s", ErrCorrupt, e.Seq, e.Why)
}

// Is makes errors.Is report that a CorruptError is an ErrCorrupt.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// NewerError names the entry that this version cannot read.
type NewerError struct{ Seq int64 }

func (e *NewerError) Error() string { return fmt.Sprintf("%v: entry %d", ErrNewer, e.Seq) }

// Is makes errors.Is report that a NewerError is an ErrNewer.
func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// HeldError names the process that holds a lock. It is an ErrBusy.
type HeldError struct {
	Process int
	Host    string // empty if it is not known
	Since   time.Time
}

func (e *HeldError) Error() string {
	host := ""
	if e.Host != "" {
		host = " on " + e.Host
	}
	return fmt.Sprintf("%v: process %d%s, since %s", ErrBusy, e.Process, host, e.Since.UTC().Format(time.RFC3339))
}

// Is makes errors.Is report that a HeldError is an ErrBusy.
func (e *HeldError) Is(target error) bool { return target == ErrBusy }

// MovedError refuses an entry, because the ledger was closed and goes on in another store.
type MovedError struct{ Move Move }

func (e *MovedError) Error() string {
	return fmt.Sprintf("the ledger was moved to %s on %s and takes no more entries", e.Move.To,
		e.Move.At.UTC().Format(time.DateOnly))
}

// StateError refuses a step that does not follow from the state of a release, such as publishing a release that is not
// sealed.
type StateError struct {
	Run    string
	Number int
	State  State // empty if the run is not in the ledger
	Step   Kind
}

func (e *StateError) Error() string {
	state := e.State
	if state == "" {
		state = "unknown"
	}
	return fmt.Sprintf("release %d of run %s is %s: it cannot take the step %q", e.Number, short(e.Run), state, e.Step)
}

// MismatchError refuses to resume or to seal a release whose contents differ from the recorded ones.
type MismatchError struct {
	Run    string
	Number int
	What   string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("release %d of run %s was recorded with other %s", e.Number, short(e.Run), e.What)
}

func short(run string) string {
	if len(run) > 12 {
		return run[:12]
	}
	return run
}

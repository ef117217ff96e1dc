package pipeline

import (
	"errors"
	"fmt"
)

// Sink errors.
var (
	// ErrNoRelease means that a folder is absent or empty.
	ErrNoRelease = errors.New("no release in the folder")
	// ErrIncomplete means that a folder holds something that is not a complete release.
	ErrIncomplete = errors.New("not a complete release")
)

// ErrInputGone means that the input's files are no longer there.
var ErrInputGone = errors.New("the input is gone")

// Cause classifies failures of a run; it decides the exit code.
type Cause string

// The causes.
const (
	CauseCheck  Cause = "check"
	CauseJob    Cause = "job"
	CauseInput  Cause = "input"
	CauseBudget Cause = "budget"
	CauseOutput Cause = "output"
	CauseLedger Cause = "ledger"
	CauseBusy   Cause = "busy"
	CauseInside Cause = "internal"
)

// Error is a failed run: its cause, a message and a hint for the user. It never holds a private value.
type Error struct {
	Cause   Cause
	Code    string
	Message string
	Hint    string
	Err     error
}

// Error returns the code, the message and the cause's own text.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Code, e.Message)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

package pipeline

import (
	"errors"
	"fmt"

	"github.com/dprelease/dprelease/configs"
)

// Errors of a [Sink].
var (
	// ErrNoRelease means that a folder is absent or empty.
	ErrNoRelease = errors.New("no release in the folder")
	// ErrIncomplete means that a folder holds something that is not a complete release.
	ErrIncomplete = errors.New("not a complete release")
)

// ErrInputGone means that nothing of the input is there, perhaps not any more.
var ErrInputGone = errors.New("the input is gone")

// Cause classifies failures of a run. It decides the program's exit code.
type Cause string

// The causes of an Error.
const (
	CauseCheck  Cause = "check"    // a comparison failed, such as a changed input
	CauseJob    Cause = "job"      // the job is wrong, or does not fit its input
	CauseInput  Cause = "input"    // the input cannot be read
	CauseBudget Cause = "budget"   // the charge does not fit the budget
	CauseOutput Cause = "output"   // the release folder cannot be written or read
	CauseLedger Cause = "ledger"   // the ledger cannot be opened, read or written
	CauseBusy   Cause = "busy"     // another process has locked the run or the ledger
	CauseInside Cause = "internal" // a bug of the program
)

// Error is the error of a failed run: its cause, a message and a hint for the user. It never contains a private value.
type Error struct {
	Cause   Cause
	Code    string
	Message string
	Hint    string
	Err     error
}

// Error returns the code and the message, followed by the text of the wrapped error.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Code, e.Message)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the wrapped error, or nil.
func (e *Error) Unwrap() error { return e.Err }

// ErrorAt returns an error about a place in the job, such as queries[0].histogram. It prints as FILE:LINE:COLUMN.
func (p *Plan) ErrorAt(path, code, message, hint string) error {
	return configs.Diagnostics{p.job.Diagnose(path, code, message, hint)}
}

package dprelease

import (
	"context"
	"errors"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/redact"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/pipeline"
)

// Cause classifies errors by what must change before another try can succeed.
type Cause string

// The causes of an [Error].
const (
	// CauseCheck means that a query misses the accuracy that the job asks for.
	CauseCheck Cause = "check"
	// CauseJob means that the job, or an option, is wrong.
	CauseJob Cause = "job"
	// CauseInput means that the input table cannot be read.
	CauseInput Cause = "input"
	// CauseBudget means that the budget does not pay for the release.
	CauseBudget Cause = "budget"
	// CauseOutput means that a release folder cannot be written or read.
	CauseOutput Cause = "output"
	// CauseLedger means that the ledger cannot be used.
	CauseLedger Cause = "ledger"
	// CauseBusy means that another process is running the same job or publishes into the same folder.
	CauseBusy Cause = "busy"
	// CauseInternal means that this module has a bug.
	CauseInternal Cause = "internal"
)

// Error describes what failed and what to do. It holds no private value.
type Error struct {
	Cause Cause
	// Code is a word that does not change between versions, such as "over-budget".
	Code    string
	Message string
	// Hint is advice; "" if there is none.
	Hint string
	// Problems lists what is wrong in the job file, line by line, each problem with its own code and hint. It is nil if
	// the error is not about the job file.
	Problems configs.Diagnostics

	err error
}

// Error returns the code, the message, and the problems of the job, one a line.
func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if len(e.Problems) > 0 {
		text += "\n" + e.Problems.Error()
	}
	return text
}

// Unwrap returns the error that caused this one, for [errors.Is].
func (e *Error) Unwrap() error { return e.err }

// errorOf converts an error of an internal package to an [Error]. An error of a context stays as it is.
func errorOf(err error) error {
	var failed *pipeline.Error
	var problems configs.Diagnostics
	var setting *runjob.SettingError
	errors.As(err, &problems)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed):
		e := &Error{Cause: Cause(failed.Cause), Code: failed.Code, Message: failed.Message, Hint: failed.Hint,
			Problems: problems, err: err}
		if failed.Err != nil && problems == nil {
			e.Message += ": " + failed.Err.Error()
		}
		return e
	case problems != nil:
		return jobError(problems)
	case errors.As(err, &setting):
		return &Error{Cause: CauseJob, Code: "bad-option", Message: setting.Text, err: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &Error{Cause: CauseInternal, Code: "internal", Message: err.Error(), err: err}
}

// redacted returns err with the values that the job took from the environment replaced by ${env:NAME} in its texts. If
// it replaces any, the result wraps no error, since the text of the original has the value. Errors of ctx stay as they
// are.
func redacted(env *redact.Environment, err error) error {
	var e *Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Message, out.Hint, out.Problems = env.Redact(e.Message), env.Redact(e.Hint), slices.Clone(e.Problems)
	for i := range out.Problems {
		d := &out.Problems[i]
		d.File, d.Message, d.Hint = env.Redact(d.File), env.Redact(d.Message), env.Redact(d.Hint)
	}
	if e.err != nil && env.Redact(e.err.Error()) != e.err.Error() {
		out.err = nil
	}
	return &out
}

// jobError returns an [*Error] with the problems of a job; nil if there are none.
func jobError(problems configs.Diagnostics) error {
	if len(problems) == 0 {
		return nil
	}
	return &Error{Cause: CauseJob, Code: "job", Message: "the job has problems", Problems: problems, err: problems}
}

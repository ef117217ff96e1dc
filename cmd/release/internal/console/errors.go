package console

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/pipeline"
)

// UsageError is the error for a wrong command line.
type UsageError struct{ Text, Hint string }

func (e *UsageError) Error() string { return e.Text }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{Text: fmt.Sprintf(format, args...)} }

// WriteError returns the error for a file or a folder that cannot be written: the system's reason, and what to do.
func WriteError(path string, err error) error {
	reason, hint := regular.Reason(err), regular.Remedy(err)
	if errors.Is(err, fs.ErrNotExist) {
		reason, hint = "its folder is not there", "make the folder, or choose another"
	}
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "write", Message: Here(path) + " can't be written: " +
		"" + reason,
		Hint: hint}
}

// ErrorText formats an error for a person: a job's diagnostics unchanged, any other error with its hint. It escapes
// names, so that none can start a new line.
func ErrorText(err error) string {
	var failed *pipeline.Error
	if !errors.As(err, &failed) {
		return errorLines(err)
	}
	s := "error: " + errorLines(failed)
	if failed.Hint != "" {
		s += "\nhint: " + OneLine(failed.Hint)
	}
	return s
}

// errorLines returns the lines of an error: one, or several if the error is a list.
func errorLines(err error) string {
	var diags configs.Diagnostics
	switch e := err.(type) { //nolint:errorlint // the tree is walked one error at a time
	case *pipeline.Error:
		s := OneLine(e.Code + ": " + e.Message)
		switch {
		case errors.As(e.Err, &diags):
			s += "\n" + errorLines(diags)
		case e.Err != nil:
			s += ": " + errorLines(e.Err)
		}
		return s
	case configs.Diagnostics:
		var texts []string
		for _, d := range e {
			texts = append(texts, DiagnosticLines(d))
		}
		return strings.Join(texts, "\n")
	case interface{ Unwrap() []error }:
		var texts []string
		for _, one := range e.Unwrap() {
			texts = append(texts, errorLines(one))
		}
		return strings.Join(texts, "\n")
	case interface{ Unwrap() error }: // a wrapper that adds no words, only what the error means
		if inner := e.Unwrap(); inner != nil && inner.Error() == err.Error() {
			return errorLines(inner)
		}
	case *UsageError:
		if e.Hint != "" {
			return OneLine(e.Text) + "\nhint: " + OneLine(e.Hint)
		}
	}
	if errors.Is(err, ledger.ErrExposed) { // one line for each finding, with the command that repairs it
		lines := strings.Split(err.Error(), "\n")
		for i, line := range lines {
			if lines[i] = OneLine(strings.TrimSpace(line)); i > 0 {
				lines[i] = "  " + lines[i]
			}
		}
		return strings.Join(lines, "\n")
	}
	return OneLine(strings.TrimSuffix(err.Error(), "\n"))
}

// DiagnosticLines returns a problem of a job in one line, and its hint in another.
func DiagnosticLines(d configs.Diagnostic) string {
	d.File, d.Message, d.Hint = OneLine(d.File), OneLine(d.Message), OneLine(d.Hint)
	return d.String()
}

// Problems lists the problems in an error, in the form for programs: the problems of the job or the input with their
// places or, if there are none, the error itself. A problem without a place in a file has line 0.
func (c *Console) Problems(err error) []configs.Diagnostic {
	var failed *pipeline.Error
	var usage *UsageError
	var diags configs.Diagnostics
	inputs := inputFaults(err)
	var out []configs.Diagnostic
	switch {
	case errors.As(err, &diags):
		out = append(out, diags...)
	case len(inputs) > 0:
		for _, e := range inputs {
			d := configs.Diagnostic{File: e.File, Code: e.Code, Message: e.Message, Hint: e.Hint}
			if e.Column != "" {
				d.Message = "column " + e.Column + ": " + d.Message
			}
			out = append(out, d)
		}
	case errors.As(err, &failed):
		message := failed.Message
		if failed.Err != nil {
			message += ": " + errorLines(failed.Err)
		}
		out = []configs.Diagnostic{{Code: failed.Code, Message: message, Hint: failed.Hint}}
	case errors.As(err, &usage):
		out = []configs.Diagnostic{{Code: "usage", Message: usage.Text, Hint: usage.Hint}}
	case errors.Is(err, context.Canceled):
		out = []configs.Diagnostic{{Code: "stopped", Message: err.Error()}}
	default:
		out = []configs.Diagnostic{{Code: "usage", Message: err.Error()}}
	}
	for i := range out {
		d := &out[i]
		d.File, d.Message, d.Hint = c.Redact(d.File), c.Redact(d.Message), c.Redact(d.Hint)
	}
	return out
}

// inputFaults returns all faults of the input in an error, in order.
func inputFaults(err error) (faults []*fault.Error) {
	switch e := err.(type) { //nolint:errorlint // the tree is walked one error at a time
	case *fault.Error:
		return []*fault.Error{e}
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			faults = append(faults, inputFaults(one)...)
		}
	case interface{ Unwrap() error }:
		return inputFaults(e.Unwrap())
	}
	return faults
}

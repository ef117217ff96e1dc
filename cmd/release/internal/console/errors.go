package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/pipeline"
)

// JobError is a job file with problems; its embedded list is also an error of package configs.
type JobError struct{ configs.Diagnostics }

// UsageError is a command line with problems.
type UsageError struct{ Text, Hint string }

func (e *UsageError) Error() string { return e.Text }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{Text: fmt.Sprintf(format, args...)} }

// ErrorText formats the error for a person: the diagnostics of a job unchanged, all other errors with their hint. Names
// in it are escaped, so that none can write a line of its own.
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

// errorLines returns an error's text: one line, or one for each error of a list.
func errorLines(err error) string {
	var job JobError
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
	case *UsageError:
		if e.Hint != "" {
			return OneLine(e.Text) + "\nhint: " + OneLine(e.Hint)
		}
	}
	if errors.As(err, &job) {
		return errorLines(job.Diagnostics)
	}
	if errors.Is(err, ledger.ErrExposed) { // one line for each finding, with the command that mends it
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

// DiagnosticLines returns a problem of a job: one line, and one for its hint.
func DiagnosticLines(d configs.Diagnostic) string {
	d.File, d.Message, d.Hint = OneLine(d.File), OneLine(d.Message), OneLine(d.Hint)
	return d.String()
}

// Problems lists the problems in an error, for programs: the problems of the job or of the input with their places,
// else the error itself. A problem without a place in a file has line 0.
func (c *Console) Problems(err error) []configs.Diagnostic {
	var failed *pipeline.Error
	var usage *UsageError
	var job JobError
	var diags configs.Diagnostics
	var input *fault.Error
	var inputs fault.Errors
	var out []configs.Diagnostic
	switch {
	case errors.As(err, &job):
		out = append(out, job.Diagnostics...)
	case errors.As(err, &diags):
		out = append(out, diags...)
	case errors.As(err, &input):
		if !errors.As(err, &inputs) {
			inputs = fault.Errors{input}
		}
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

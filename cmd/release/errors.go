package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/pipeline"
)

// The exit codes; root.go's help text explains them.
const (
	exitDone     = 0
	exitCheck    = 1
	exitUsage    = 2
	exitInput    = 3
	exitBudget   = 4
	exitOutput   = 5
	exitLedger   = 6
	exitInternal = 70
	exitBusy     = 75
)

var codes = map[pipeline.Cause]int{
	pipeline.CauseCheck: exitCheck, pipeline.CauseJob: exitUsage, pipeline.CauseInput: exitInput,
	pipeline.CauseBudget: exitBudget, pipeline.CauseOutput: exitOutput, pipeline.CauseLedger: exitLedger,
	pipeline.CauseBusy: exitBusy, pipeline.CauseInside: exitInternal,
}

// jobError is a job file with problems.
type jobError struct{ configs.Diagnostics }

// usageError is a command line with problems.
type usageError struct{ text, hint string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{text: fmt.Sprintf(format, args...)} }

// exitCode maps an error to the documented exit code. What cobra itself finds wrong is usage.
func exitCode(ctx context.Context, err error) int {
	var stopped interrupted
	var failed *pipeline.Error
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &stopped):
		return stopped.code()
	case errors.As(err, &failed):
		return codes[failed.Cause]
	default:
		return exitUsage
	}
}

// report writes an error to stderr and returns the exit code.
func (a *app) report(ctx context.Context, err error) int {
	code := exitCode(ctx, err)
	if err == nil {
		return code
	}
	if code == exitUsage {
		var job jobError
		if !errors.As(err, &job) && !errors.As(err, new(*pipeline.Error)) {
			err = &usageError{err.Error(), "release --help, or release VERB --help, shows what there is"}
		}
	}
	if code > 128 {
		err = context.Cause(ctx)
	}
	if a.log == "json" {
		a.logger().Error(a.redact(text(err)), "exit_code", code)
		return code
	}
	a.errorf("%s\n", a.redact(text(err)))
	return code
}

// text is the error for a person: the diagnostics of a job as they are, everything else with its hint. Names in it are on one line, so that
// none can write a line of its own.
func text(err error) string {
	var failed *pipeline.Error
	if !errors.As(err, &failed) {
		return errorLines(err)
	}
	s := "error: " + errorLines(failed)
	if failed.Hint != "" {
		s += "\nhint: " + oneLine(failed.Hint)
	}
	return s
}

// errorLines is an error's text: one line, or one for each error of a list.
func errorLines(err error) string {
	var job jobError
	var diags configs.Diagnostics
	switch e := err.(type) {
	case *pipeline.Error:
		s := oneLine(e.Code + ": " + e.Message)
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
			texts = append(texts, diagnosticLines(d))
		}
		return strings.Join(texts, "\n")
	case interface{ Unwrap() []error }:
		var texts []string
		for _, one := range e.Unwrap() {
			texts = append(texts, errorLines(one))
		}
		return strings.Join(texts, "\n")
	case *usageError:
		if e.hint != "" {
			return oneLine(e.text) + "\nhint: " + oneLine(e.hint)
		}
	}
	if errors.As(err, &job) {
		return errorLines(job.Diagnostics)
	}
	return oneLine(strings.TrimSuffix(err.Error(), "\n"))
}

func diagnosticLines(d configs.Diagnostic) string {
	d.File, d.Message, d.Hint = oneLine(d.File), oneLine(d.Message), oneLine(d.Hint)
	return d.String()
}

func (a *app) errorf(format string, args ...any) {
	_, _ = io.WriteString(a.stderr, visible(fmt.Sprintf(format, args...))) // nothing can be done about a closed stderr
}

// note says what a user should know and no script need heed.
func (a *app) note(text string) {
	switch {
	case a.quiet:
	case a.log == "json":
		a.logger().Info(a.redact(text))
	default:
		a.errorf("note: %s\n", a.redact(text))
	}
}

// printf prints to stdout. Texts among the arguments are put on one line: only the format has line ends.
func (a *app) printf(format string, args ...any) error { return a.print(fill(format, args...)) }

// print prints a text of several lines to stdout.
func (a *app) print(text string) error {
	_, err := io.WriteString(a.stdout, visible(a.redact(text)))
	return written(err)
}

// written is an error of writing to stdout. What was asked for may have been done all the same.
func written(err error) error {
	if err == nil {
		return nil
	}
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "stdout", Message: "standard output can't be written", Err: err,
		Hint: "a release that this run made is published all the same: run the job again to see it",
	}
}

// redact puts ${env:NAME} in the place of what the job took from the environment.
func (a *app) redact(s string) string {
	for name, value := range a.secrets {
		if len(value) >= shortestSecret {
			s = strings.ReplaceAll(s, value, "${env:"+name+"}")
		}
	}
	return s
}

// shortestSecret keeps a variable that holds one or two characters from garbling every line.
const shortestSecret = 3

func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(visibleWriter{a.stderr}, nil)).With("run_id", a.id)
}

// recovered reports a panic by the places that it passed, never by its text or arguments: they might hold a value.
func (a *app) recovered(code *int) {
	if recover() == nil {
		return
	}
	a.errorf("error: internal: a fault of this program; please report it with these lines\n")
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		a.errorf("  %s:%d\n", f.Function, f.Line)
		if !more {
			break
		}
	}
	*code = exitInternal
}

package command

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline"
)

// The exit codes. The help text in root.go explains them to users.
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

// ExitCode maps an error to the documented exit code. The context is from [Signals]. Errors that cobra itself reports
// are usage errors.
func ExitCode(ctx context.Context, err error) int {
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

// report prints an error on stderr and returns the exit code.
func (a *app) report(ctx context.Context, err error) int {
	code := ExitCode(ctx, err)
	if err == nil {
		return code
	}
	if strings.HasPrefix(err.Error(), "unknown command") && !errors.As(err, new(*console.UsageError)) {
		err = &console.UsageError{Text: err.Error(), Hint: "see release --help"}
	}
	if code > 128 {
		err = context.Cause(ctx)
	}
	if a.Log == "json" {
		a.Logger().Error(a.Redact(console.ErrorText(err)), "exit_code", code, "problems", a.Problems(err))
		return code
	}
	a.Errorf("%s\n", a.Redact(console.ErrorText(err)))
	return code
}

// recovered reports a panic by the functions and lines of its stack. It prints neither the panic's value nor the
// functions' arguments, since these may hold private values.
func (a *app) recovered(code *int) {
	if recover() == nil {
		return
	}
	a.Errorf("error: internal: a fault of this program; please report it with these lines\n")
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		a.Errorf("  %s:%d\n", f.Function, f.Line)
		if !more {
			break
		}
	}
	*code = exitInternal
}

// interrupted is the error with which a signal cancels a context.
type interrupted struct{ os.Signal }

// Is makes errors.Is(err, context.Canceled) true, so that context.Cause(ctx) is treated like ctx.Err().
func (i interrupted) Is(target error) bool { return target == context.Canceled }

func (i interrupted) Error() string { return "stopped by a signal (" + i.String() + ")" }

// code is 128 plus the signal's number, as in shells.
func (i interrupted) code() int {
	if s, ok := i.Signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return exitInternal
}

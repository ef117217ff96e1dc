// Package command is the program `release`: its verbs, its exit codes and its handling of signals. The program
// release-full, in a module of its own, adds libraries that the main program omits and calls Main.
package command

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
	_ "time/tzdata" // the time zone database, for container images that have none

	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/store/web"
)

// Verb is a verb that another program adds. It parses its own command line.
type Verb struct {
	Name, Short string
	// Version names the library behind the verb, for `version`.
	Version string
	// Run runs the verb with the arguments after its name, and returns the exit code.
	Run func(args []string) int
	// Takes reports whether Run handles a command line that does not begin with the verb's name. If Takes is nil, Run
	// gets only command lines that begin with the name.
	Takes func(args []string) bool
}

// Main runs the command line of this process and returns its exit code, which the caller passes to os.Exit.
func Main(added ...Verb) int {
	abortOnCrash()
	web.Register()
	args := os.Args[1:]
	for _, v := range added {
		switch {
		case len(args) > 0 && args[0] == v.Name:
			return v.Run(args[1:])
		case v.Takes != nil && v.Takes(args):
			return v.Run(args)
		}
	}
	log.SetOutput(io.Discard) // Go's HTTP client logs what servers send unasked, which no message may quote
	a := newApp(os.Stdout, os.Stderr, added...)
	ctx, stop := signals(context.Background(), a.writeMetrics)
	defer stop()
	return a.execute(ctx, args)
}

// abortOnCrash makes Go's runtime end a crashed process by SIGABRT (134 for a shell), not by its own exit code 2, which
// would look like a wrong command line. It prevents core files, which would hold rows of the input.
func abortOnCrash() {
	noCore()
	debug.SetTraceback("crash")
}

// grace is how long a process continues after the first signal. In this time a run that has drawn no noise cancels its
// reservation. A step that cannot be interrupted, such as a read of a file system that does not answer, ends with the
// process: a run can be killed at any step, and the next run resumes it.
const grace = 3 * time.Second

// signals cancels the context on SIGINT and SIGTERM, with the signal as the cause. If the process still runs after
// grace, signals calls last with the exit code, and ends the process. A second signal ends it at once.
func signals(parent context.Context, last func(code int)) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		if s, ok := <-c; ok {
			signal.Stop(c)
			cancel(interrupted{s})
			time.AfterFunc(grace, func() {
				code := interrupted{s}.code()
				go last(code)                                                         // may block on a folder that does not answer
				go func() { fmt.Fprintf(os.Stderr, "error: %v\n", interrupted{s}) }() // may block if nobody reads stderr
				time.Sleep(grace / 10)
				os.Exit(code) //nolint:forbidigo // the call that would return an error is the call that hangs
			})
		}
	}()
	return ctx, func() {
		signal.Stop(c)
		close(c)
		cancel(nil)
	}
}

// Signals returns a context for a verb of another program: SIGINT and SIGTERM cancel it, with the signal as the cause.
// If the process does not end in time after that, Signals removes the temporary folder and ends the process.
func Signals(parent context.Context, temporary string) (context.Context, func()) {
	return signals(parent, func(int) { _ = os.RemoveAll(temporary) })
}

// Run runs a command line in this process, as Main runs the process's own arguments. It returns the exit code.
func Run(ctx context.Context, args ...string) int { return execute(ctx, args, os.Stdout, os.Stderr) }

// Build identifies this build of the program: its version or, if the build is not exactly one commit, the digest of its
// executable.
func Build() string { return runjob.Build() }

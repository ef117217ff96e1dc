// Command release turns a private table into a differentially private data release.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones in an image without any
)

func main() {
	ctx, stop := signals(context.Background())
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// signals cancels the context on SIGINT and SIGTERM, with the signal as the cause. A second one ends the process.
func signals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		if s, ok := <-c; ok {
			signal.Stop(c)
			cancel(interrupted{s})
		}
	}()
	return ctx, func() {
		signal.Stop(c)
		close(c)
		cancel(nil)
	}
}

// interrupted is the cause of a context that a signal cancelled.
type interrupted struct{ os.Signal }

func (i interrupted) Error() string { return "stopped by a signal (" + i.String() + ")" }

// code is 128 plus the signal's number, as shells have it.
func (i interrupted) code() int {
	if s, ok := i.Signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return exitInternal
}

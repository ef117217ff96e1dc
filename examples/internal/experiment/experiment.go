// Package experiment holds what programs that reproduce figures of papers have in common: flags, a progress bar, tables
// as CSV, and repeated runs on all cores. The results do not depend on the number of cores.
//
// The noise of these runs comes from math/rand. They measure mechanisms on public or invented data, so the noise
// protects nothing.
package experiment

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/dprelease/dprelease/report/picture"
)

// Experiment is one example that makes tables and figures.
type Experiment struct {
	// Dir is the example's folder, relative to the repository's root.
	Dir string
	// Flags adds the example's own flags. It may be nil.
	Flags func(*flag.FlagSet)
	// Run makes the tables and figures.
	Run func(ctx context.Context, s *Session) error
}

// Main runs a program with the arguments of the process, and returns the exit code.
func Main(execute func(ctx context.Context, args []string, stdout io.Writer) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := execute(ctx, os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err) // no error: stderr may be closed
		return 1
	}
	return 0
}

// Parts returns a function that runs the parts of an experiment one after the other.
func Parts(parts ...func(context.Context, *Session) error) func(context.Context, *Session) error {
	return func(ctx context.Context, s *Session) error {
		for _, part := range parts {
			if err := part(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// Execute runs the experiment with these arguments.
func (e Experiment) Execute(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet(filepath.Base(e.Dir), flag.ContinueOnError)
	quick := flags.Bool("quick", false, "few repetitions and points: seconds instead of minutes")
	out := flags.String("out", filepath.Join(filepath.FromSlash(e.Dir), "out"), "the folder for tables and figures")
	if e.Flags != nil {
		e.Flags(flags)
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if _, err := os.Stat(filepath.Dir(*out)); err != nil {
		return fmt.Errorf("no folder %s: run this from the repository's root, or name a folder with --out",
			filepath.Dir(*out))
	}
	s, err := New(*out, stdout)
	if err != nil {
		return err
	}
	s.Quick = *quick
	start := time.Now()
	if err := e.Run(ctx, s); err != nil {
		return err
	}
	s.Say("done in %s", time.Since(start).Round(100*time.Millisecond))
	return nil
}

// Session is one run of an experiment.
type Session struct {
	// Quick is true for a run that takes seconds, not minutes.
	Quick  bool
	out    string
	stdout io.Writer
}

// New starts a session that writes its files to the folder out. It makes the folder.
func New(out string, stdout io.Writer) (*Session, error) {
	if err := os.MkdirAll(out, 0o750); err != nil {
		return nil, err
	}
	return &Session{out: out, stdout: stdout}, nil
}

// Say prints a line.
func (s *Session) Say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.stdout, format+"\n", args...) // no error: stdout may be closed
}

// Pick returns full in a full run, and quick in a quick one.
func (s *Session) Pick(full, quick int) int {
	if s.Quick {
		return quick
	}
	return full
}

// Figure writes NAME.png and NAME.svg.
func (s *Session) Figure(name string, f picture.Figure) error {
	for _, format := range []string{"png", "svg"} {
		var out bytes.Buffer
		if err := f.Write(&out, format); err != nil {
			return fmt.Errorf("figure %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(s.out, name+"."+format), out.Bytes(), 0o600); err != nil {
			return err
		}
	}
	s.Say("figure %s", filepath.Join(s.out, name+".{png,svg}"))
	return nil
}

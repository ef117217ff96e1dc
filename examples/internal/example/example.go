// Package example holds what the example programs share. Each program prepares a table, and then runs a job on it with
// the program release, as a user would.
package example

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// Archive is a ZIP file on the web with the original table.
type Archive struct {
	URL string
	// MaxBytes bounds the size of the archive, and of each file in it.
	MaxBytes int64
	Timeout  time.Duration
}

// Example is one example: a folder with jobs, and the table that they read.
type Example struct {
	// Dir is the example's folder, relative to the repository's root.
	Dir string
	// Files are the files of the table, and the public files that the jobs need.
	Files []File
	// Known holds the SHA-256, in hex, of known originals by base name. A file with such a name must have that hash.
	Known map[string]string
	// Archive is the public archive of the original. If it is nil, NoArchive says why there is none.
	Archive   *Archive
	NoArchive string
	// Synthetic writes an invented table with the same schema into a folder. It writes the same bytes each time.
	Synthetic func(dir string) error
	// Count returns the number of rows of the table. It returns an error if the schema is wrong.
	Count func(dir string) (rows int, err error)
	// Evaluate compares releases with the truth after the job has run, and draws the figures. It may be nil.
	Evaluate func(ctx context.Context, at At, s *experiment.Session) error
}

// At holds the folder of the example and the parameters of its job, for Evaluate.
type At struct {
	Dir    string
	Params map[string]string
}

// File is a file of the original, and its name in the example.
type File struct {
	// From is a path or a pattern below $DPRELEASE_DATA. In the archive, the file has the same base name.
	From string
	// To is the name of the file in data. If it is empty, the file keeps its name.
	To string
}

// Execute runs the example's program. It prepares the table if there is none or --prepare is given, and then runs the
// job unless --prepare is given alone. Arguments after the flags are passed to release run. It draws the figures if
// neither such arguments nor a job are given.
func (e Example) Execute(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet(filepath.Base(e.Dir), flag.ContinueOnError)
	prepare := flags.Bool("prepare", false, "fill the folder data, and run nothing")
	job := flags.String("job", "", "run this one of the example's jobs alone, without the figures")
	quick := flags.Bool("quick", false, "figures of few releases: seconds instead of minutes")
	params := map[string]string{}
	flags.Func("param", "set a parameter of the job: name=value (repeatable)", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		params[name] = value
		if !ok || name == "" {
			return errors.New("write name=value")
		}
		return nil
	})
	dir := flags.String("dir", filepath.FromSlash(e.Dir), "the example's folder")
	flags.Usage = func() { usage(flags, e.Dir) }
	if err := flags.Parse(args); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(*dir, "job.yaml")); err != nil {
		return fmt.Errorf("no job.yaml in %s: run this from the repository's root, or name the folder with --dir", *dir)
	}
	at := place{Example: e, dir: *dir, params: params, stdout: stdout}
	if *prepare {
		return at.prepare(ctx)
	}
	if err := at.ready(ctx); err != nil {
		return err
	}
	if *job != "" {
		return at.release(*job, flags.Args())
	}
	if err := at.release("job.yaml", flags.Args()); err != nil || e.Evaluate == nil || flags.NArg() > 0 {
		return err
	}
	return at.evaluate(ctx, *quick)
}

// evaluate compares releases with the truth and draws the figures, into the folder out.
func (p place) evaluate(ctx context.Context, quick bool) error {
	s, err := experiment.New(filepath.Join(p.dir, "out"), p.stdout)
	if err != nil {
		return err
	}
	s.Quick = quick
	start := time.Now()
	if err := p.Evaluate(ctx, At{p.dir, p.params}, s); err != nil {
		return err
	}
	p.say("figures done in %s", time.Since(start).Round(100*time.Millisecond))
	return nil
}

func usage(flags *flag.FlagSet, dir string) {
	_, _ = fmt.Fprintf(flags.Output(), "usage: go run ./%s [flags] [-- flags of release run]\n", dir)
	flags.PrintDefaults()
}

// place is an example in a folder on disk.
type place struct {
	Example
	dir    string
	params map[string]string
	stdout io.Writer
}

func (p place) data() string { return filepath.Join(p.dir, "data") }

func (p place) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.stdout, format+"\n", args...) // a closed output is no error
}

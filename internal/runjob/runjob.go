// Package runjob runs a job: it opens the ledger, compares it with the entries that releases show, opens the input, and
// makes the release with package protocol. The command and package dprelease use it.
package runjob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/report"
)

// SettingError describes a setting of a run that cannot be used.
type SettingError struct{ Text string }

func (e *SettingError) Error() string { return e.Text }

func settingf(format string, args ...any) error { return &SettingError{fmt.Sprintf(format, args...)} }

// Dir returns the absolute path of the release folder of a plan: out or, if that is empty, the job's output.dir.
func Dir(p *pipeline.Plan, out string) (string, error) {
	if given := cmp.Or(out, p.Job().Output.Dir); given == "~" || strings.HasPrefix(given, "~/") {
		return "", settingf("the release folder %s begins with ~, which only a shell takes for the home folder, and not "+
			"everywhere: write the path in full; a folder of that name is ./%s", given, given)
	}
	dir, err := filepath.Abs(cmp.Or(out, p.Job().Path(p.Job().Output.Dir)))
	if err != nil {
		return "", err
	}
	// A symbolic link is resolved here, since publishing renames onto the folder itself.
	if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
		place, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", settingf("the release folder %s is a link that leads nowhere", dir)
		}
		dir = place
	}
	if !utf8.ValidString(dir) {
		return "", settingf("the path of the release folder %s is not UTF-8, so the ledger can't record it: rename the "+
			"folder, or put the release elsewhere", dir)
	}
	return dir, nil
}

// Limits fills in the limits that l leaves at 0. It returns an error if the plan's queries cannot be answered within
// them.
func Limits(p *pipeline.Plan, l local.Limits) (local.Limits, error) {
	if l.Memory == 0 {
		l.Memory = local.DefaultMemory()
	}
	if slices.ContainsFunc(p.Job().PrivateFiles(), store.IsAddress) {
		l.Ahead = source.AheadOfStores
	}
	return l, l.Fits(p)
}

// Options are the settings of [Run] that are not in the plan.
type Options struct {
	Limits local.Limits
	// Observer receives the progress of a run.
	Observer pipeline.Observer
	// Signer signs the manifest; if it is nil, the manifest is not signed.
	Signer pipeline.Signer
	// Announce is passed to [protocol.Runner]; it may be nil.
	Announce func(protocol.Standing) error
	// Open opens the input; nil means the input that the job names.
	Open func(context.Context) (pipeline.Engine, error)
}

// Run makes the requested release. The caller must have compared the ledger ([CompareHeads]).
func Run(ctx context.Context, book *ledger.Book, ask protocol.Request, o Options) (*protocol.Outcome, error) {
	if o.Open == nil {
		o.Open = Opener(ask.Plan, o.Limits, book.InputKey)
	}
	runner := protocol.Runner{
		Book: book, Sink: sink.New(report.Presenter{}), Open: o.Open, Observer: o.Observer, Workers: o.Limits.Workers,
		Identify: Program, Signer: o.Signer, Announce: o.Announce,
	}
	return runner.Run(ctx, ask)
}

// Opener returns a function that opens a plan's input. key returns the secret key for the input's digest; if key is
// nil, the digest is computed without a key.
func Opener(p *pipeline.Plan, l local.Limits, key func(context.Context) ([]byte,
	error)) func(context.Context) (pipeline.Engine, error) {
	job := p.Job()
	return func(ctx context.Context) (pipeline.Engine, error) {
		var secret []byte
		if key != nil {
			var err error
			if secret, err = key(ctx); err != nil {
				return nil, pipeline.LedgerError("read the key of the input's digest", err)
			}
		}
		if job.Input.SQL != nil {
			return openDatabase(ctx, p, l, secret)
		}
		var tables []*source.Dataset
		var failed []error
		for _, options := range wiring.Sources(job) {
			options.Workers, options.Key = l.Workers, secret
			options.Stdin, options.Scratch = stdin{}, cmp.Or(l.Scratch, os.TempDir())
			data, err := source.Open(ctx, options)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			tables = append(tables, data)
		}
		if len(failed) > 0 {
			for _, data := range tables {
				_ = data.Close() // nothing is lost: the error of opening another table is returned
			}
			err := errors.Join(failed...)
			if len(failed) == 1 {
				err = failed[0]
			}
			if len(tables) == 0 && !slices.ContainsFunc(failed, func(one error) bool {
				return !errors.Is(one,
					source.ErrAbsent)
			}) {
				return nil, gone{err}
			}
			return nil, local.ScratchError(err)
		}
		if len(job.Input.Tables) > 0 {
			return local.NewTables(tables, l), nil
		}
		return local.NewWithin(tables[0], l), nil
	}
}

// stdin is a reader of standard input. It returns an error if standard input is a terminal, since it would wait for the
// user.
type stdin struct{}

func (stdin) Read(p []byte) (int, error) {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return 0, source.ErrTerminal
	}
	return os.Stdin.Read(p)
}

// gone marks an error: nothing of the input is there (pipeline.ErrInputGone).
type gone struct{ error }

// Unwrap returns the error of the input.
func (g gone) Unwrap() error { return g.error }

// Is reports whether target is pipeline.ErrInputGone.
func (gone) Is(target error) bool { return target == pipeline.ErrInputGone }

// OpenStore opens a ledger by its name. If create is not set, it must exist.
func OpenStore(ctx context.Context, name string, create bool) (*ledger.Book, error) {
	store, err := sqlstore.Named(ctx, name, create)
	if errors.Is(err, sqlstore.ErrUnsupported) {
		return nil, settingf("the ledger's store: %v", err)
	}
	if err != nil {
		return nil, pipeline.LedgerError("open the ledger", err)
	}
	return ledger.NewBook(store, time.Now), nil
}

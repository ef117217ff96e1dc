package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/ledger/sqlstore"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// jobFlags are the flags of every verb that reads a job.
type jobFlags struct {
	params    []string
	out       string
	workers   int
	memory    string
	tmp       string
	sign      string // the secret key
	anchor    string // a file that shows the ledger's newest entry
	newLedger bool   // a new ledger may be opened beside releases of the dataset
}

func (f *jobFlags) addParams(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.params, "param", nil, "set a parameter of the job: --param name=value (repeatable)")
}

// folderFlag is a folder; an empty one is a mistake, such as an unset variable of a shell.
type folderFlag string

// String returns the folder.
func (f *folderFlag) String() string { return string(*f) }

// Set refuses an empty folder.
func (f *folderFlag) Set(s string) error {
	if s == "" {
		return errors.New("the folder has no name")
	}
	*f = folderFlag(s)
	return nil
}

// Type is what help calls the value.
func (f *folderFlag) Type() string { return "string" }

func (f *jobFlags) addOut(cmd *cobra.Command) {
	cmd.Flags().Var((*folderFlag)(&f.out), "out", "the release folder, instead of the job's output.dir")
}

func (f *jobFlags) addSign(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.sign, "sign", "", "sign the manifest with this minisign secret key; "+passwordVariable+" holds its password")
}

func (f *jobFlags) addWorkers(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "how many cores to use; results do not depend on it")
}

func (f *jobFlags) paramValues() (map[string]string, error) {
	values := map[string]string{}
	for _, p := range f.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, console.Usagef("--param %q: write --param name=value", p)
		}
		if _, twice := values[name]; twice {
			return nil, console.Usagef("--param %s is given twice", name)
		}
		values[name] = value
	}
	return values, nil
}

// load reads a job file and makes its plan.
func (a *app) load(ctx context.Context, path string, f *jobFlags) (*pipeline.Plan, error) {
	params, err := f.paramValues()
	if err != nil {
		return nil, err
	}
	return a.loadWith(ctx, path, params)
}

// loadWith is load with the values of the parameters.
func (a *app) loadWith(ctx context.Context, path string, params map[string]string) (*pipeline.Plan, error) {
	plan, diags := wiring.Plan(ctx, path, configs.ParseOptions{Params: params, Env: a.Env})
	if len(diags) > 0 {
		return nil, console.JobError{Diagnostics: diags}
	}
	return plan, nil
}

// dir is the absolute path of the release folder.
func (f *jobFlags) dir(p *pipeline.Plan) (string, error) {
	dir := p.Job().Path(p.Job().Output.Dir)
	if f.out != "" {
		dir = f.out
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	// A link is followed here, since publishing renames onto the folder itself.
	if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return "", console.Usagef("the release folder is a link that leads nowhere")
		}
	}
	return dir, nil
}

// opener opens the job's input. The key of its digests comes from key, if that is not nil.
func opener(job *configs.Job, l local.Limits, key func(context.Context) ([]byte, error)) func(context.Context) (pipeline.Engine, error) {
	return func(ctx context.Context) (pipeline.Engine, error) {
		options := wiring.SourceOptions(job)
		options.Workers = l.Workers
		if key != nil {
			var err error
			if options.Key, err = key(ctx); err != nil {
				return nil, pipeline.LedgerError("read the key of the input's digest", err)
			}
		}
		data, err := source.Open(ctx, options)
		if absent(err) == len(job.Input.Files) {
			return nil, gone{err}
		}
		if err != nil {
			return nil, err
		}
		return local.NewWithin(data, l), nil
	}
}

// absent counts the files or patterns of the input for which nothing was found.
func absent(err error) int {
	var one *source.Error
	var all source.Errors
	if !errors.As(err, &all) && errors.As(err, &one) {
		all = source.Errors{one}
	}
	n := 0
	for _, e := range all {
		if e.Code == source.CodeNotFound {
			n++
		}
	}
	return n
}

// gone is an error of the input that says that its files are not there.
type gone struct{ error }

// Is reports that it is pipeline.ErrInputGone.
func (gone) Is(target error) bool { return target == pipeline.ErrInputGone }

// openBook opens the ledger that the job names; the file is made on first use.
func openBook(ctx context.Context, job *configs.Job) (*ledger.Book, func() error, error) {
	return openStore(ctx, job.StoreName(), true)
}

// openStore opens a ledger by its name; if create is not set it must be there already.
func openStore(ctx context.Context, name string, create bool) (*ledger.Book, func() error, error) {
	store, err := sqlstore.Named(ctx, name, create)
	if errors.Is(err, sqlstore.ErrUnsupported) {
		return nil, nil, console.Usagef("the ledger's store: %v", err)
	}
	if err != nil {
		return nil, nil, pipeline.LedgerError("open the ledger", err)
	}
	return ledger.NewBook(store, time.Now), store.Close, nil
}

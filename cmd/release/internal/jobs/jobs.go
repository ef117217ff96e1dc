// Package jobs is what the verbs that read a job share: its flags, its plan and input, and its ledger, which is
// compared with what releases show before it is used.
package jobs

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/signing"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// Flags are the flags of every verb that reads a job.
type Flags struct {
	Params    []string
	out       string
	Workers   int
	Memory    string
	Tmp       string
	Sign      string // the secret key
	Anchor    string // a file that shows the ledger's newest entry
	newLedger bool   // a new ledger may be opened beside releases of the dataset
}

// AddParams adds --param.
func (f *Flags) AddParams(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Params, "param", nil, "set a parameter of the job: --param name=value (repeatable)")
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

// AddOut adds --out.
func (f *Flags) AddOut(cmd *cobra.Command) {
	cmd.Flags().Var((*folderFlag)(&f.out), "out", "the release folder, instead of the job's output.dir")
}

// HasOut reports whether --out was given.
func (f *Flags) HasOut() bool { return f.out != "" }

// AddSign adds --sign.
func (f *Flags) AddSign(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Sign, "sign", "",
		"sign the manifest with this minisign secret key; "+signing.PasswordVariable+" holds its password")
}

// AddWorkers adds --workers.
func (f *Flags) AddWorkers(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.Workers, "workers", runtime.GOMAXPROCS(0), "how many cores to use; results do not depend on it")
}

// ParamValues are the values of --param by their names.
func (f *Flags) ParamValues() (map[string]string, error) {
	values := map[string]string{}
	for _, p := range f.Params {
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

// Load reads a job file and makes its plan.
func (f *Flags) Load(ctx context.Context, c *console.Console, path string) (*pipeline.Plan, error) {
	params, err := f.ParamValues()
	if err != nil {
		return nil, err
	}
	return LoadWith(ctx, c, path, params)
}

// LoadWith is load with the values of the parameters.
func LoadWith(ctx context.Context, c *console.Console, path string, params map[string]string) (*pipeline.Plan, error) {
	plan, diags := wiring.Plan(ctx, path, configs.ParseOptions{Params: params, Env: c.Env})
	if len(diags) > 0 {
		return nil, console.JobError{Diagnostics: diags}
	}
	return plan, nil
}

// Dir is the absolute path of the release folder.
func (f *Flags) Dir(p *pipeline.Plan) (string, error) {
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

// Opener opens the job's input. The key of its digests comes from key, if that is not nil.
func Opener(job *configs.Job, l local.Limits, key func(context.Context) ([]byte,
	error)) func(context.Context) (pipeline.Engine, error) {
	if job.Input.SQL != nil {
		return databaseOpener(job, l, key)
	}
	return func(ctx context.Context) (pipeline.Engine, error) {
		options := wiring.SourceOptions(job)
		options.Workers = l.Workers
		options.Stdin, options.Scratch = stdin{}, cmp.Or(l.Scratch, os.TempDir())
		if key != nil {
			var err error
			if options.Key, err = key(ctx); err != nil {
				return nil, pipeline.LedgerError("read the key of the input's digest", err)
			}
		}
		data, err := source.Open(ctx, options)
		if Absent(err) == len(job.Input.Files) {
			return nil, gone{err}
		}
		if err != nil {
			return nil, local.ScratchError(err)
		}
		return local.NewWithin(data, l), nil
	}
}

// stdin is standard input, unless that is a terminal, which would wait for the user.
type stdin struct{}

// Read implements io.Reader.
func (stdin) Read(p []byte) (int, error) {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return 0, errTerminal
	}
	return os.Stdin.Read(p)
}

var errTerminal = errors.New("standard input is a terminal")

// Absent counts the files or patterns of the input for which nothing was found.
func Absent(err error) int {
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

// gone is the error that the input's files are missing.
type gone struct{ error }

// Unwrap returns the error of the input.
func (g gone) Unwrap() error { return g.error }

// Is reports that it is pipeline.ErrInputGone.
func (gone) Is(target error) bool { return target == pipeline.ErrInputGone }

// OpenBook opens the ledger that the job names; the file is made on first use.
func OpenBook(ctx context.Context, job *configs.Job) (*ledger.Book, func() error, error) {
	return OpenStore(ctx, job.StoreName(), true)
}

// OpenStore opens a ledger by its name; if create is not set it must be there already.
func OpenStore(ctx context.Context, name string, create bool) (*ledger.Book, func() error, error) {
	store, err := sqlstore.Named(ctx, name, create)
	if errors.Is(err, sqlstore.ErrUnsupported) {
		return nil, nil, console.Usagef("the ledger's store: %v", err)
	}
	if err != nil {
		return nil, nil, pipeline.LedgerError("open the ledger", err)
	}
	return ledger.NewBook(store, time.Now), store.Close, nil
}

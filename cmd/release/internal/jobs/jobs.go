// Package jobs has the common parts of verbs that read a job: its flags, its plan and input, and its ledger, which is
// compared with the entries in releases before it is used.
package jobs

import (
	"context"
	"errors"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/signing"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/pipeline"
)

// Flags are the flags of every verb that reads a job.
type Flags struct {
	Params    []string
	out       string
	Workers   int
	Memory    string
	Tmp       string
	Sign      string // path of the file with the secret key for signatures
	Anchor    string // path of a file that has the ledger's newest entry
	newLedger bool   // allow a new ledger although releases of the dataset exist
	// DataChecks replaces the job's data_checks, unless it is "".
	DataChecks string
}

// AddParams adds --param.
func (f *Flags) AddParams(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Params, "param", nil, "set a parameter of the job: --param name=value (repeatable)")
}

// folderFlag is a flag with a folder. An empty value is refused, since a shell variable may not be set.
type folderFlag string

func (f *folderFlag) String() string { return string(*f) }

// Set sets the folder. It refuses an empty folder, and a folder with a ${…} in it, which only output.dir of a
// job may have.
func (f *folderFlag) Set(s string) error {
	if s == "" {
		return errors.New("the folder has no name")
	}
	if strings.Contains(s, "${") {
		return errors.New("${…} stands for a parameter in the job's output.dir only: write the folder's name, or change " +
			"output.dir")
	}
	*f = folderFlag(s)
	return nil
}

func (f *folderFlag) Type() string { return "string" }

// AddOut adds --out.
func (f *Flags) AddOut(cmd *cobra.Command) {
	cmd.Flags().Var((*folderFlag)(&f.out), "out", "the release folder, instead of the job's output.dir")
}

// HasOut reports whether the user gave --out.
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

// ParamValues returns the values of --param by their names.
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

// Job reads a job file, and checks that it can be read.
func (f *Flags) Job(c *console.Console, path string) (*configs.Job, error) {
	params, err := f.ParamValues()
	if err != nil {
		return nil, err
	}
	job, diags := configs.Load(path, configs.ParseOptions{Params: params, Env: c.Env, Sample: true})
	if len(diags) > 0 {
		return nil, diags
	}
	return job, nil
}

// Load reads a job file and makes its plan.
func (f *Flags) Load(ctx context.Context, c *console.Console, path string) (*pipeline.Plan, error) {
	params, err := f.ParamValues()
	if err != nil {
		return nil, err
	}
	return f.LoadWith(ctx, c, path, params)
}

// LoadWith reads a job file and makes its plan, with params in place of the values of --param.
func (f *Flags) LoadWith(ctx context.Context, c *console.Console, path string,
	params map[string]string) (*pipeline.Plan, error) {
	plan, diags := wiring.Plan(ctx, path, configs.ParseOptions{Params: params, Env: c.Env, DataChecks: f.DataChecks})
	switch {
	case ctx.Err() != nil: // a public file was perhaps not read
		return nil, context.Cause(ctx)
	case len(diags) > 0:
		return nil, diags
	}
	return plan, nil
}

// Dir returns the absolute path of the release folder.
func (f *Flags) Dir(p *pipeline.Plan) (string, error) {
	return runjob.Dir(p, f.out)
}

// ledgerOptions returns the ledger's options from the flags.
func (f *Flags) ledgerOptions() runjob.LedgerOptions {
	return runjob.LedgerOptions{New: f.newLedger, Show: console.Here}
}

// OpenLedgerOf opens the ledger of a plan that publishes into dir, as [runjob.OpenLedger] does.
func (f *Flags) OpenLedgerOf(ctx context.Context, plan *pipeline.Plan, dir string) (*ledger.Book, error) {
	return runjob.OpenLedger(ctx, plan, dir, f.ledgerOptions())
}

// LostLedger returns an error if a plan's ledger is missing although it should exist, as
// [runjob.LedgerOptions.LostLedger] does.
func (f *Flags) LostLedger(plan *pipeline.Plan, dir string) error {
	return f.ledgerOptions().LostLedger(plan, dir)
}

// CompareHeads returns an error if the ledger has lost entries: it lacks an entry that the anchor at anchorPath has, or
// that a release in dir or beside it shows.
func CompareHeads(ctx context.Context, book *ledger.Book, dir, anchorPath string) (*runjob.Anchor, error) {
	return runjob.CompareHeads(ctx, book, dir, anchorPath, runjob.LedgerOptions{Show: console.Here})
}

// AddNewLedger adds the flag --new-ledger, which allows a new ledger although releases exist that another ledger paid
// for.
func (f *Flags) AddNewLedger(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.newLedger, "new-ledger", false,
		"start a new ledger even if releases of the dataset exist; their cost is not counted")
}

// AddAnchor adds --anchor.
func (f *Flags) AddAnchor(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Anchor, "anchor", "", "a file on another disk that holds the ledger's newest entry: fail "+
		"if the ledger lacks it, and update the file after the run")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

const verifyLong = `verify checks a published release:

  digests   every file is as the manifest says, and there is no other
  tables    the Parquet tables, read by a second reader that shares nothing with the writer, agree with the manifest and the CSV tables
  noise     the sigmas that the manifest states meet the guarantee that it states, by the definition
  ledger    the ledger's chain holds, it has this very release with these mechanisms, and it still has the entry that the manifest shows
  signature the manifest is signed by the owner of --key

The ledger is that of --job or --store; else it is looked for beside the release and in the folders above. Who was given the release alone
has no ledger: then that check is left out, and said so. Exit code 1: a check failed.`

// verifyFlags say what a release is checked against.
type verifyFlags struct {
	jobFlags
	key, job, store string
}

func (a *app) verifyCmd() *cobra.Command {
	f := &verifyFlags{}
	cmd := &cobra.Command{
		Use: "verify DIR", Short: "Check a published release", Long: verifyLong, Args: cobra.ExactArgs(1),
		Example: "  release verify out\n  release verify out --store sqlite:ledger.db --key release.pub",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.verify(cmd.Context(), args[0], f) },
	}
	f.addParams(cmd)
	cmd.Flags().StringVar(&f.key, "key", "", "the public key that must have signed the manifest")
	cmd.Flags().StringVar(&f.job, "job", "", "the job whose ledger is meant")
	cmd.Flags().StringVar(&f.store, "store", "", "the ledger: sqlite:PATH or postgres://…")
	cmd.Flags().BoolVar(&a.json, "json", false, "print the checks as JSON")
	return cmd
}

// verdict is one check of a release.
type verdict struct {
	Name string `json:"name"`
	// Result is "pass", "fail" or "skipped".
	Result string `json:"result"`
	Detail string `json:"detail"`
}

const (
	passed  = "pass"
	failed  = "fail"
	skipped = "skipped"
)

func (a *app) verify(ctx context.Context, dir string, f *verifyFlags) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return usagef("the folder: %v", err)
	}
	v := &verifying{dir: dir, flags: f}
	for _, check := range []func(context.Context, *app) error{v.digests, v.tables, v.noise, v.ledger, v.signature} {
		if err := check(ctx, a); err != nil {
			return err
		}
	}
	return a.concludeVerify(dir, v.verdicts)
}

// concludeVerify prints the checks; an error where one failed.
func (a *app) concludeVerify(dir string, verdicts []verdict) error {
	failures := 0
	rows := [][]string{{"check", "result", "detail"}}
	for _, v := range verdicts {
		if v.Result == failed {
			failures++
		}
		rows = append(rows, []string{v.Name, v.Result, v.Detail})
	}
	var err error
	switch {
	case a.json:
		err = a.printJSON(map[string]any{"folder": dir, "pass": failures == 0, "checks": verdicts})
	case !a.quiet || failures > 0:
		err = a.printTable(rows)
	}
	if err != nil || failures == 0 {
		return err
	}
	return &pipeline.Error{
		Cause: pipeline.CauseCheck, Code: "verify", Message: fmt.Sprintf("%d of %d checks failed for %s", failures, len(verdicts), here(dir)),
		Hint: "do not rely on this release before it is explained; the ledger and a copy of the folder tell what was changed",
	}
}

// verifying is the checks of one release in progress.
type verifying struct {
	dir      string
	flags    *verifyFlags
	manifest pipeline.Manifest
	digest   string
	readable bool // there is a manifest to go by
	verdicts []verdict
}

func (v *verifying) add(name, result, format string, args ...any) {
	v.verdicts = append(v.verdicts, verdict{name, result, fmt.Sprintf(format, args...)})
}

// digests compares every file with the manifest. A folder that cannot be read at all is an error of its own.
func (v *verifying) digests(ctx context.Context, _ *app) error {
	_, err := sink.New().Inspect(ctx, v.dir)
	switch {
	case err == nil:
		v.add("digests", passed, "every file is as the manifest says")
	case errors.Is(err, pipeline.ErrIncomplete):
		v.add("digests", failed, "%v", err)
	default:
		return pipeline.OutputError(err)
	}
	v.manifest, v.digest, err = sink.ReadManifest(v.dir)
	v.readable = err == nil
	return nil
}

func (v *verifying) tables(ctx context.Context, _ *app) error {
	if !v.readable {
		v.add("tables", skipped, "the manifest cannot be read")
		return nil
	}
	findings, err := sink.Recheck(ctx, v.dir, &v.manifest)
	for _, f := range findings {
		v.add("tables", failed, "%s", f)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		v.add("tables", failed, "%v", err)
	case len(findings) == 0:
		v.add("tables", passed, "the second reading agrees")
	}
	return nil
}

func (v *verifying) noise(context.Context, *app) error {
	if !v.readable {
		v.add("noise", skipped, "the manifest cannot be read")
		return nil
	}
	if err := v.manifest.Meets(); err != nil {
		v.add("noise", failed, "%v", err)
		return nil
	}
	p := v.manifest.Privacy
	v.add("noise", passed, "%s meet epsilon %g, delta %g", count(len(v.manifest.Mechanisms()), "mechanism"), p.Epsilon, p.Delta)
	return nil
}

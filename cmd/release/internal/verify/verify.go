// Package verify is the verb verify: checks of a published release. Each check has its own file, except the checks of
// digests and of the noise.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report"
)

const verifyLong = `verify checks a published release:

  digests   every file has the SHA-256 that the manifest states, and there is no other file
  noise     the sigmas that the manifest states meet the guarantee that it states, by the definition; its sentences and its other measures follow from them
  job       the plan of the job in the manifest, made again, gives every statement of the manifest; a release of another build is not compared, and one with public files only with --job, beside which they lie
  keys      if keys were discovered: no noisy count is below its threshold, and the tables of one selection have the same keys
  ledger    the ledger's chain holds, it has this very release with these mechanisms, and it still has the entry that the manifest shows
  signature the manifest is signed by the owner of --key

The ledger has the SHA-256 of the manifest: it and the signature show that the manifest itself is right. --job or
--store names the ledger; without them verify looks for it beside the release and in the folders above. Whoever was
given the release alone has no ledger: that check is then skipped, and the output says so. Exit code 1: a check failed.`

// verifyFlags are the flags of verify. They name the things against which a release is checked.
type verifyFlags struct {
	jobs.Flags
	key, job, store string
}

// verifier is the verb verify: its console, and a function that describes this program.
type verifier struct {
	*console.Console
	program func() manifest.Program
}

// Command returns the verb verify. program describes this program.
func Command(c *console.Console, program func() manifest.Program) *cobra.Command {
	a := &verifier{c, program}
	f := &verifyFlags{}
	cmd := &cobra.Command{
		Use: "verify DIR", Short: "Check a published release", Long: verifyLong, Args: cobra.ExactArgs(1),
		Example: "  release verify out\n  release verify out --store sqlite:ledger.db --key release.pub",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.verify(cmd.Context(), args[0], f) },
	}
	f.AddParams(cmd)
	cmd.Flags().StringVar(&f.key, "key", "", "the public key that must have signed the manifest")
	cmd.Flags().StringVar(&f.job, "job", "", "the job whose ledger and public files are meant")
	cmd.Flags().StringVar(&f.store, "store", "", "the ledger: sqlite:PATH, sqlite+group:PATH or postgres://…")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the checks as JSON")
	return cmd
}

// verdict is the result of one check.
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

func (a *verifier) verify(ctx context.Context, dir string, f *verifyFlags) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return console.Usagef("the folder: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, manifest.FileName)); errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			if _, err := os.Lstat(filepath.Join(dir, manifest.SyntheticPrefix+manifest.FileName)); err == nil {
				return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "verify", Message: console.Here(dir) +
					" is a preview, made of synthetic rows: it is no release"}
			}
			return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "verify", Message: console.Here(dir) +
				" is not a release folder: it has no " + manifest.FileName, Hint: "check the path: output.dir of the job names it"}
		}
	}
	v := &verifying{verifier: a, dir: dir, flags: f}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := v.absent(ctx); err != nil {
			return err
		}
	}
	for _, check := range []func(context.Context) error{v.digests, v.noise, v.job, v.keys,
		v.ledger, v.signature} {
		if err := check(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil { // an interrupted check has no result
			return context.Cause(ctx)
		}
	}
	return a.concludeVerify(dir, v.verdicts)
}

// concludeVerify prints the checks, and returns an error if one failed.
func (a *verifier) concludeVerify(dir string, verdicts []verdict) error {
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
	case a.JSON:
		err = a.PrintJSON(map[string]any{"folder": dir, "pass": failures == 0, "checks": verdicts})
	case !a.Quiet || failures > 0:
		err = a.PrintTable(rows)
	}
	if err != nil || failures == 0 {
		return err
	}
	return &pipeline.Error{
		Cause: pipeline.CauseCheck, Code: "verify", Message: fmt.Sprintf("%d of %d checks failed for %s", failures,
			len(verdicts), console.Here(dir)),
		Hint: "do not rely on this release before it is explained; the ledger and a copy of the folder tell what was changed",
	}
}

// verifying is the verification of one release in progress.
type verifying struct {
	*verifier
	dir      string
	flags    *verifyFlags
	manifest manifest.Manifest
	digest   string
	readable bool // the manifest could be read
	verdicts []verdict
}

// add appends a verdict. Its detail is one line, though an error may have several.
func (v *verifying) add(name, result, format string, args ...any) {
	lines := strings.Split(fmt.Sprintf(format, args...), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	v.verdicts = append(v.verdicts, verdict{name, result, strings.Join(lines, "; ")})
}

// digests compares every file with the manifest. It returns an error only if the folder cannot be read at all.
func (v *verifying) digests(ctx context.Context) error {
	found, err := sink.Examine(ctx, v.dir)
	if err != nil {
		return pipeline.OutputError(err)
	}
	for _, f := range found.Findings {
		v.add("digests", failed, "%s", f)
	}
	if len(found.Findings) == 0 {
		v.add("digests", passed, "%s as the manifest says, and no other", spelling.Count(found.Compared, "file"))
	}
	if v.readable = found.Manifest != nil; v.readable {
		v.manifest, v.digest = *found.Manifest, found.Digest
	}
	return nil
}

func (v *verifying) noise(context.Context) error {
	if !v.readable {
		v.add("noise", skipped, "the manifest cannot be read")
		return nil
	}
	if err := v.manifest.Meets(); err != nil {
		v.add("noise", failed, "%v", err)
		return nil
	}
	p := v.manifest.Privacy
	meet := "meet"
	if len(v.manifest.Mechanisms()) == 1 {
		meet = "meets"
	}
	v.add("noise", passed, "%s %s epsilon %s, delta %s", spelling.Count(len(v.manifest.Mechanisms()), "mechanism"), meet,
		report.AsStated(p.Epsilon), report.AsStated(p.Delta))
	return nil
}

// Package selftest is the verb selftest: it tests the noise of the running binary, or a job on its own input.
package selftest

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/mechanism/selftest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

const long = `selftest tests the noise of this binary on this machine. Without --job it reads none of your data.

It checks known answers of the cipher and of the calibration; the sampler against exact probabilities, its low bits, its
moments and its independence; and it makes two releases of neighbouring tables of its own, with a job, a ledger and an
output folder in a temporary folder, as 'release run' makes yours, and bounds from them how well the two can be told
apart: a lower bound of mu above the mu that the job promises is a failure. It does the same with delta 0, for epsilon.
And it makes four releases with discovered keys: of keys that only one privacy unit has, or the least number of units that a job
may ask for (min_units), no more are published than their share of delta allows, keys of fewer units are not, and the noise of the counts and sums of keys that many units have is what it is said to be.

Each line gives a check's statistic and the threshold, fixed beforehand, up to which it passes. If nothing is wrong,
one run in 10^9 fails. Exit code 1: a check failed.

With --job it tests that job on its own input, instead of the noise: it takes single privacy units out, some hundred of the
heaviest and of random ones, or under replace-one exchanges one for another, and compares the exact answers of both tables,
in integers, with each mechanism's sensitivity; and it compares what the input's files state, and the program believes, with
all of their rows. A few units are taken out of the whole input, the others out of tables of some thousand rows. It reads
the input about a dozen times, spends and publishes nothing, opens no ledger, and writes nothing but, if memory_limit is
too small, an encrypted file without a name in a temporary folder. It prints pass or FAIL and nothing else about the input.`

// mostSeconds bounds --seconds: a day.
const mostSeconds = 24 * 60 * 60

// flags say what is tested.
type flags struct {
	jobs.Flags
	job     string
	seconds int
}

// Command returns the verb selftest.
func Command(c *console.Console, program func() manifest.Program) *cobra.Command {
	a, f := &selftester{c, program}, &flags{}
	cmd := &cobra.Command{
		Use: "selftest", Short: "Test the noise of this binary on this machine, or a job on its input", Long: long, Args: cobra.NoArgs,
		Example: "  release selftest\n  release selftest --seconds 600 --json\n  release selftest --job job.yaml --param " +
			"day=2026-11-20",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.job == "" && (len(f.Params) > 0 || f.Tmp != "" || f.Memory != "" || cmd.Flags().Changed("workers")):
				return console.Usagef("--param, --workers, --memory-limit and --tmp-dir need --job")
			case f.job == "":
				return a.testNoise(cmd.Context(), f.seconds)
			case cmd.Flags().Changed("seconds"):
				return console.Usagef("--seconds and --job exclude each other")
			}
			return a.testInput(cmd.Context(), f)
		},
	}
	f.AddParams(cmd)
	f.AddWorkers(cmd)
	f.AddMemoryLimit(cmd)
	f.AddTmpDir(cmd)
	cmd.Flags().StringVar(&f.job, "job", "", "the job to test on its own input")
	cmd.Flags().IntVar(&f.seconds, "seconds", 10,
		"how long the sampler is tested, about; the releases take a few seconds more")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the checks as JSON")
	return cmd
}

func (a *selftester) testNoise(ctx context.Context, seconds int) error {
	if seconds < 1 || seconds > mostSeconds {
		return console.Usagef("--seconds must be 1 to %d", mostSeconds)
	}
	folder, err := os.MkdirTemp("", "dprelease-selftest-")
	if err != nil {
		return folderError("make a temporary folder", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // it holds nothing private
	start := time.Now()
	checks, err := selftest.Run(ctx, time.Duration(seconds)*time.Second, a.releaseIn(folder, gaussian),
		a.releaseIn(folder, geometric))
	if err != nil {
		return err
	}
	keys, err := selftest.Keys(ctx, a.selectIn(folder))
	if err != nil {
		return err
	}
	return a.conclude(append(checks, keys...), time.Since(start))
}

// conclude prints the checks; an error if one failed.
func (a *selftester) conclude(checks []selftest.Check, took time.Duration) error {
	failed := selftest.Failed(checks)
	if err := a.printChecks(checks, failed, took); err != nil || failed == 0 {
		return err
	}
	return &pipeline.Error{
		Cause: pipeline.CauseCheck, Code: "selftest", Message: fmt.Sprintf("%d of %d checks failed", failed, len(checks)),
		Hint: "make no releases with this binary on this machine; please report it with the output of release selftest --json",
	}
}

func (a *selftester) printChecks(checks []selftest.Check, failed int, took time.Duration) error {
	if a.JSON {
		return a.PrintJSON(map[string]any{
			"program": a.program(), "pass": failed == 0, "failed": failed, "seconds": took.Seconds(), "cipher": selftest.Cipher(), "checks": checks,
		})
	}
	if a.Quiet && failed == 0 {
		return nil
	}
	rows := [][]string{{"check", "samples", "statistic", "at most", "measure", ""}}
	for _, c := range checks {
		verdict := "pass"
		if !c.Pass {
			verdict = "FAIL"
		}
		rows = append(rows, []string{
			c.Name, fmt.Sprint(c.Samples), fmt.Sprintf("%.4g", c.Statistic), fmt.Sprintf("%.4g",
				c.Threshold), c.Measure, verdict,
		})
	}
	if err := a.PrintTable(rows); err != nil {
		return err
	}
	return a.Printf("\n%d of %d checks passed in %.1f s (%s, random bits from %s)\n", len(checks)-failed, len(checks),
		took.Seconds(), a.program().Version, selftest.Cipher())
}

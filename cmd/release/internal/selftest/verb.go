// Package selftest is the verb selftest: it tests the noise of the running binary.
package selftest

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/mechanism/selftest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

const long = `selftest tests the noise of this binary on this machine. It reads none of your data.

It checks known answers of the cipher and of the calibration, and the sampler: exact probabilities, low bits, moments,
independence.

It then makes two releases of neighbouring tables of its own, with a job, a ledger and an output folder in a temporary
folder, as 'release run' makes yours, and computes from them a lower bound of mu. A bound above the mu that the job
promises is a failure. It does the same with delta 0, for epsilon.

It then makes four releases with discovered keys and checks three things: rare keys appear no more often than delta
allows; keys below min_units never appear; the noise of common keys has the stated distribution.

Each line gives a check's statistic and the threshold, fixed beforehand, up to which it passes. If nothing is wrong,
one run in 10^9 fails. Exit code 1: a check failed.`

// selftester holds what the verb selftest needs: its console, and a function that describes this program.
type selftester struct {
	*console.Console
	program func() manifest.Program
}

// maxSeconds is the maximum of --seconds: one day.
const maxSeconds = 24 * 60 * 60

// Command returns the verb selftest.
func Command(c *console.Console, program func() manifest.Program) *cobra.Command {
	a, seconds := &selftester{c, program}, 10
	cmd := &cobra.Command{
		Use: "selftest", Short: "Test the noise of this binary on this machine", Long: long, Args: cobra.NoArgs,
		Example: "  release selftest\n  release selftest --seconds 600 --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.testNoise(cmd.Context(), seconds) },
	}
	cmd.Flags().IntVar(&seconds, "seconds", seconds,
		"how long the sampler is tested, about; the releases take a few seconds more")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the checks as JSON")
	return cmd
}

func (a *selftester) testNoise(ctx context.Context, seconds int) error {
	if seconds < 1 || seconds > maxSeconds {
		return console.Usagef("--seconds must be 1 to %d", maxSeconds)
	}
	folder, err := os.MkdirTemp("", "dprelease-selftest-")
	if err != nil {
		return folderError("make a temporary folder", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // no harm: nothing in it is private
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

// conclude prints the checks, and returns an error if one failed.
func (a *selftester) conclude(checks []selftest.Check, took time.Duration) error {
	failed := selftest.Failed(checks)
	if err := a.printChecks(checks, failed, took); err != nil || failed == 0 {
		return err
	}
	return &pipeline.Error{
		Cause: pipeline.CauseCheck, Code: "selftest", Message: fmt.Sprintf("%d of %d checks failed", failed, len(checks)),
		Hint: "make no releases with this binary on this machine; please report it with the output of release selftest " +
			"--json",
	}
}

func (a *selftester) printChecks(checks []selftest.Check, failed int, took time.Duration) error {
	if a.JSON {
		return a.PrintJSON(map[string]any{
			"program": a.program(), "pass": failed == 0, "failed": failed, "seconds": took.Seconds(),
			"cipher": selftest.Cipher(), "checks": checks,
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
	return a.Print(console.Aligned(rows) + console.Fill("\n%d of %d checks passed in %.1f s (%s, random bits from %s)\n",
		len(checks)-failed, len(checks), took.Seconds(), a.program().Version, selftest.Cipher()))
}

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/mechanism/selftest"
	"github.com/dprelease/dprelease/pipeline"
)

const selftestLong = `selftest tests the noise of this binary on this machine. It reads none of your data.

It checks known answers of the ciphers and of the calibration; the sampler against exact probabilities, its low bits, its
moments and its independence; and it makes two releases of neighbouring tables of its own, with a job, a ledger and an
output folder in a temporary folder, as 'release run' makes yours, and bounds from them how well the two can be told
apart: a lower bound of mu above the mu that the job promises is a failure.

Each line gives a check's statistic and the threshold, fixed beforehand, up to which it passes. Where nothing is wrong,
one run in 10^9 fails. Exit code 1: a check failed.`

// mostSeconds bounds --seconds: a day.
const mostSeconds = 24 * 60 * 60

func (a *app) selftestCmd() *cobra.Command {
	var seconds int
	cmd := &cobra.Command{
		Use: "selftest", Short: "Test the noise of this binary on this machine", Long: selftestLong, Args: cobra.NoArgs,
		Example: "  release selftest\n  release selftest --seconds 600 --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.selftest(cmd.Context(), seconds) },
	}
	cmd.Flags().IntVar(&seconds, "seconds", 10, "how long the sampler is tested, about; the releases take a few seconds more")
	cmd.Flags().BoolVar(&a.json, "json", false, "print the checks as JSON")
	return cmd
}

func (a *app) selftest(ctx context.Context, seconds int) error {
	if seconds < 1 || seconds > mostSeconds {
		return usagef("--seconds must be 1 to %d", mostSeconds)
	}
	folder, err := os.MkdirTemp("", "dprelease-selftest-")
	if err != nil {
		return selftestError("make a temporary folder", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // it holds nothing private
	start := time.Now()
	checks, err := selftest.Run(ctx, time.Duration(seconds)*time.Second, releaseIn(folder))
	if err != nil {
		return err
	}
	return a.concludeSelftest(checks, time.Since(start))
}

// concludeSelftest prints the checks; an error where one failed.
func (a *app) concludeSelftest(checks []selftest.Check, took time.Duration) error {
	failed := selftest.Failed(checks)
	if err := a.printSelftest(checks, failed, took); err != nil || failed == 0 {
		return err
	}
	return &pipeline.Error{
		Cause: pipeline.CauseCheck, Code: "selftest", Message: fmt.Sprintf("%d of %d checks failed", failed, len(checks)),
		Hint: "make no releases with this binary on this machine; please report it with the output of release selftest --json",
	}
}

func (a *app) printSelftest(checks []selftest.Check, failed int, took time.Duration) error {
	if a.json {
		return a.printJSON(map[string]any{
			"program": program(), "pass": failed == 0, "failed": failed, "seconds": took.Seconds(), "cipher": selftest.Cipher(), "checks": checks,
		})
	}
	if a.quiet && failed == 0 {
		return nil
	}
	rows := [][]string{{"check", "samples", "statistic", "at most", "measure", ""}}
	for _, c := range checks {
		verdict := "pass"
		if !c.Pass {
			verdict = "FAIL"
		}
		rows = append(rows, []string{
			c.Name, fmt.Sprint(c.Samples), fmt.Sprintf("%.4g", c.Statistic), fmt.Sprintf("%.4g", c.Threshold), c.Measure, verdict,
		})
	}
	if err := a.printTable(rows); err != nil {
		return err
	}
	return a.printf("\n%d of %d checks passed in %.1f s (%s, random bits from %s)\n", len(checks)-failed, len(checks), took.Seconds(), version(), selftest.Cipher())
}

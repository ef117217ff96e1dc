// Package selftest tests, on the user's own machine and in the binary that makes releases, that the noise is what is
// claimed: known answers, the sampler against exact probabilities, and whole releases of neighbouring tables.
//
// It does not look behind the trust boundary. The sampler's checks draw from the sampler itself, on numbers that the
// checks choose, and the audit sees what any reader of a release sees. All tables are the selftest's own.
//
// A check passes if its statistic is at most its threshold, which is fixed before anything is drawn. If the noise is as
// claimed, all checks together fail with probability at most 1e-9: half of it is the sampler's, half the audit's.
package selftest

import (
	"context"
	"math"
	"time"
)

// alarm is the probability that a group of checks (the sampler's, the audit's) fails although nothing is wrong.
const alarm = 1e-9 / 2

// maxChecks is the most checks that a group has; each has its share of the alarm.
const maxChecks = 32

// Check is the outcome of one check.
type Check struct {
	// Name says what was checked.
	Name string `json:"name"`
	// Measure says what the statistic is.
	Measure string `json:"measure"`
	// Samples is how many noisy numbers, or known answers, the statistic is computed from.
	Samples   int     `json:"samples"`
	Statistic float64 `json:"statistic"`
	// Threshold is the largest statistic that passes.
	Threshold float64 `json:"threshold"`
	Pass      bool    `json:"pass"`
}

// judged returns c with its verdict. A statistic that is not a number fails, and is shown as the largest float64.
func (c Check) judged() Check {
	if math.IsNaN(c.Statistic) || math.IsInf(c.Statistic, 0) {
		c.Statistic = math.MaxFloat64
	}
	c.Pass = c.Statistic <= c.Threshold
	return c
}

// Failed returns how many checks did not pass.
func Failed(checks []Check) (n int) {
	for _, c := range checks {
		if !c.Pass {
			n++
		}
	}
	return n
}

// Run makes all checks. The sampler's checks take about as long as budget. The audit takes its own time, for two
// releases of Pairs(budget) cells each, and for each way to release. An error is ctx's, release's or that of the system's source of randomness; a
// failed check is not an error.
func Run(ctx context.Context, budget time.Duration, releases ...Release) ([]Check, error) {
	var checks []Check
	for _, k := range knownStreams {
		checks = append(checks, k.compare())
	}
	checks = append(checks, knownSigmas())
	sampled, err := sampler(ctx, budget)
	if err != nil {
		return nil, err
	}
	checks = append(checks, sampled...)
	for _, release := range releases {
		audited, err := audit(ctx, Pairs(budget), release)
		if err != nil {
			return nil, err
		}
		checks = append(checks, audited...)
	}
	return checks, nil
}

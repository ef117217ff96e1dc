// Package selftest tests, on the user's own machine and in the binary that makes releases, that the noise is what is
// claimed: known answers, the sampler against exact probabilities, and whole releases of neighbouring tables.
//
// It opens no door through the trust boundary: the sampler's checks draw from the sampler itself, on numbers that the
// checks choose, and the audit sees what any reader of a release sees. All tables are the selftest's own.
//
// A check passes iff its statistic is at most its threshold, which is fixed before anything is drawn. If the noise is as
// claimed, all checks together fail with probability at most 1e-9: the sampler's with half of that, and the audit's.
package selftest

import (
	"context"
	"math"
	"time"
)

// alarm is the probability that a group of checks (the sampler's, the audit's) fails if nothing is wrong.
const alarm = 1e-9 / 2

// maxChecks is the most checks that a group has; each has its share of the alarm.
const maxChecks = 32

// Check is one check's outcome.
type Check struct {
	// Name says what was checked.
	Name string `json:"name"`
	// Measure says what the statistic is.
	Measure string `json:"measure"`
	// Samples is how many noisy numbers, or known answers, it is made of.
	Samples   int     `json:"samples"`
	Statistic float64 `json:"statistic"`
	// Threshold is the largest statistic that passes.
	Threshold float64 `json:"threshold"`
	Pass      bool    `json:"pass"`
}

// judged returns c with its verdict. What is not a number fails, and is shown as the largest one.
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

// Run makes all checks. The sampler's take about as long as budget; the audit takes its own time, for two releases of
// Pairs(budget) cells each. An error is ctx's, release's or that of the system's source of randomness; a check that does
// not pass is none.
func Run(ctx context.Context, budget time.Duration, release Release) ([]Check, error) {
	var checks []Check
	for _, k := range knownStreams {
		checks = append(checks, k.check())
	}
	checks = append(checks, knownSigmas())
	sampled, err := sampler(ctx, budget)
	if err != nil {
		return nil, err
	}
	audited, err := audit(ctx, Pairs(budget), release)
	if err != nil {
		return nil, err
	}
	return append(append(checks, sampled...), audited...), nil
}

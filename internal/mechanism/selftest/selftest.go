// Package selftest tests, on the user's own machine and in the binary that makes releases, that the noise has the
// claimed distribution: known answers, the sampler against exact probabilities, and whole releases of neighbouring
// tables.
//
// It does not use the hidden values of package mechanism. The sampler's checks draw from the sampler itself, on numbers
// that the checks choose, and the audit sees only what readers of a release see. All tables are the selftest's own.
//
// A check passes if its statistic is at most its threshold, which is fixed before anything is drawn. If the claims
// hold, all checks together fail with probability at most 1e-9: half of it belongs to the sampler, half to the audit.
package selftest

import (
	"context"
	"time"
)

// Run runs all checks. The sampler's checks take about as long as budget. Then the audit makes two releases of
// Pairs(budget) cells with each function in releases. A failed check is not an error; errors come from ctx, from a
// release, or from the system's source of randomness.
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

package selftest

import (
	"context"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
)

// Selected is what a release with discovered keys published: for each key that was selected, the noisy number of units and the noisy sum.
type Selected struct {
	Counts, Sums []float64
	// Selection is how the keys are claimed to be selected, and Summed the mechanism that is claimed to have made the sums. Both are of rows, by one row a unit.
	Selection calibrate.KeySelection
	Summed    calibrate.Mechanism
}

// Selection releases a table of keys keys, each of which is in rows rows, by a job that discovers the keys and adds up 1 for each row of a key. Each row is a
// privacy unit of its own. The release takes the same way as a user's.
type Selection func(ctx context.Context, keys, rows int) (*Selected, error)

const (
	// keysOfAudit detects a threshold that is a sixth of sigma too low, if Failure is near 0.1: 2,460 keys are then found, to within 46, and 2,300 pass.
	keysOfAudit = 20_000
	// surely is how many sigmas above the threshold keys are selected that must not be missed: one of 20,000 is with probability below 1e-27.
	surely = 12
)

// Keys releases a table in which each key is of one unit alone, and one in which each is of very many units.
//
// A key that a unit has alone is selected with probability Failure at most, and the noise of keys is independent. So the lower Clopper–Pearson
// bound of that probability exceeds Failure with probability at most alarm/64, if all is as claimed. In the other table all keys are selected, so that the noise
// in their counts and sums is not chosen by its size. An error is ctx's or selection's; a failed check is not an error. The checks are of the group of the audit: see [Run].
func Keys(ctx context.Context, selection Selection) ([]Check, error) {
	alone, err := selection(ctx, keysOfAudit, 1)
	if err != nil {
		return nil, err
	}
	units, err := alone.Selection.Threshold()
	if err != nil {
		return nil, fmt.Errorf("selftest: the threshold of discovered keys: %w", err)
	}
	m := alone.Selection.Mechanism
	least := float64(units) * m.Grid
	rows := int(math.Ceil(least + surely*float64(m.Sigma)))
	many, err := selection(ctx, keysOfAudit, rows)
	if err != nil {
		return nil, err
	}
	wrong := 0
	for _, c := range alone.Counts {
		if !(c >= least) {
			wrong++
		}
	}
	n := len(alone.Counts)
	wrong += abs(n-len(alone.Sums)) + abs(len(many.Counts)-keysOfAudit) + abs(len(many.Sums)-keysOfAudit)
	share := Check{
		Name: "discovered keys, audit of keys of one unit", Measure: "lower bound of delta", Samples: keysOfAudit,
		Statistic: 1 - proportionBound(keysOfAudit-n, keysOfAudit, alarm/64), Threshold: float64(alone.Selection.Failure),
	}
	kept := Check{
		Name: "discovered keys, those above the threshold and no others, in both tables", Measure: "keys", Samples: n + len(many.Counts), Statistic: float64(wrong),
	}
	exact := func(m calibrate.Mechanism) noise { return noise{scale: float64(m.Sigma) / m.Grid} }
	checks := []Check{share.judged(), kept.judged()}
	if !checks[1].Pass {
		return checks, nil // the noise cannot be compared
	}
	return append(checks,
		released("discovered keys, exact probabilities of counts", inUnits(many.Counts, many.Selection.Mechanism, float64(rows)), exact(many.Selection.Mechanism)),
		released("discovered keys, exact probabilities of sums", inUnits(many.Sums, many.Summed, float64(rows)), exact(many.Summed)),
	), nil
}

func abs(x int) int { return max(x, -x) }

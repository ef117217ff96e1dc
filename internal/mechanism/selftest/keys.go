package selftest

import (
	"context"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
)

// Selected is the published result of a release with private key selection: the noisy number of units and the noisy sum
// of each selected key.
type Selected struct {
	Counts, Sums []float64
	// Selection is the claimed selection of the keys, and Summed the claimed mechanism of the sums. In both a unit has
	// one row, which counts 1.
	Selection calibrate.KeySelection
	Summed    calibrate.Mechanism
}

// Selection makes a release of a table with keys keys, each of which is in rows rows. The job selects the keys
// privately, drops keys of fewer than minUnits units before the noise, and adds up 1 for each row of a key. Each row is
// a privacy unit. The release uses the same code as a user's release.
type Selection func(ctx context.Context, minUnits int64, keys, rows int) (*Selected, error)

const (
	// keysOfAudit is large enough to detect a threshold that is a sixth of sigma too low, if Failure is near 0.1: about
	// 2,460 keys are then found, with a standard deviation of 46, and up to 2,300 pass.
	keysOfAudit = 20_000
	// distanceOfMany is how far the counts of keys that must be found are above the threshold, in sigmas. The
	// probability that one of 20,000 such keys is missed is below 1e-27.
	distanceOfMany = 12
	// minUnits is the pre-threshold of the releases that drop keys.
	minUnits = 3
)

// Keys audits private key selection with four releases. In the first table each key has one unit, in the second very
// many units. The job of the other two drops keys of fewer than three units; each key has three units in one table, and
// two in the other.
//
// A key whose count would be 0, or below the pre-threshold, without one of its units is selected with probability at
// most Failure, and the noise of different keys is independent. So if the claims hold, the lower Clopper–Pearson bound
// of that probability exceeds Failure with probability at most alarm/64. In the second table all keys are selected, so
// the selection does not bias the noise in their counts and sums. No key of two units may be selected. A failed check
// is not an error; errors come from ctx or selection. The checks belong to the audit's group of checks, as for [Run].
func Keys(ctx context.Context, selection Selection) ([]Check, error) {
	share, rare, wrong, err := auditRareKeys(ctx, selection, 1, "discovered keys, audit of keys of one unit")
	if err != nil {
		return nil, err
	}
	shareOfLeast, _, wrongOfLeast, err := auditRareKeys(ctx, selection, minUnits,
		"discovered keys, audit of keys of the least number of units")
	if err != nil {
		return nil, err
	}
	few, err := selection(ctx, minUnits, keysOfAudit, minUnits-1)
	if err != nil {
		return nil, err
	}
	m := rare.Selection.Mechanism
	units, err := rare.Selection.Threshold()
	if err != nil {
		return nil, fmt.Errorf("selftest: the threshold of discovered keys: %w", err)
	}
	rows := int(math.Ceil(float64(units)*m.Grid + distanceOfMany*float64(m.Sigma)))
	many, err := selection(ctx, 1, keysOfAudit, rows)
	if err != nil {
		return nil, err
	}
	wrong += wrongOfLeast + abs(len(many.Counts)-keysOfAudit) + abs(len(many.Sums)-keysOfAudit)
	leftOut := Check{
		Name: "discovered keys, of fewer than the least number of units", Measure: "keys", Samples: keysOfAudit,
		Statistic: float64(len(few.Counts) + len(few.Sums)),
	}
	kept := Check{
		Name: "discovered keys, those above the threshold and no others, in all tables", Measure: "keys",
		Samples: len(rare.Counts) + len(many.Counts), Statistic: float64(wrong),
	}
	exact := func(m calibrate.Mechanism) noise { return noise{scale: float64(m.Sigma) / m.Grid} }
	checks := []Check{share, shareOfLeast, leftOut.judged(), kept.judged()}
	if !kept.judged().Pass {
		return checks, nil // without keys, there is no noise to compare
	}
	return append(checks,
		released("discovered keys, exact probabilities of counts",
			inUnits(many.Counts, many.Selection.Mechanism, float64(rows)), exact(many.Selection.Mechanism)),
		released("discovered keys, exact probabilities of sums", inUnits(many.Sums, many.Summed, float64(rows)),
			exact(many.Summed)),
	), nil
}

// auditRareKeys makes a release of a table in which each key has unitsPerKey units, which is also the pre-threshold. It
// returns the check of how many keys were selected, the release, and the number of wrong results: counts below the
// threshold, and keys without a sum.
func auditRareKeys(ctx context.Context, selection Selection, unitsPerKey int64,
	name string) (share Check, out *Selected, wrong int, err error) {
	if out, err = selection(ctx, unitsPerKey, keysOfAudit, int(unitsPerKey)); err != nil {
		return share, nil, 0, err
	}
	units, err := out.Selection.Threshold()
	if err != nil {
		return share, nil, 0, fmt.Errorf("selftest: the threshold of discovered keys: %w", err)
	}
	for _, c := range out.Counts {
		if !(c >= float64(units)*out.Selection.Mechanism.Grid) {
			wrong++
		}
	}
	n := len(out.Counts)
	share = Check{
		Name: name, Measure: "lower bound of delta", Samples: keysOfAudit,
		Statistic: 1 - proportionBound(keysOfAudit-n, keysOfAudit, alarm/64), Threshold: float64(out.Selection.Failure),
	}
	return share.judged(), out, wrong + abs(n-len(out.Sums)), nil
}

func abs(x int) int { return max(x, -x) }

package mechanism

import (
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/ledger"
)

// Published returns the noisy vector of a release that is published already, from the values that stand in it, in multiples of m's grid.
// It takes the slice over.
//
// This is post-processing: the values were charged, drawn and shown, so that whatever is made of them costs nothing more. That they are
// those values is the caller's to see to; the proof says that such a release is published, with this manifest and this mechanism, so that
// no value gets here that the ledger does not know of. manifest is the SHA-256 of the release.json of the folder in which the values stand,
// whose files were compared with it. Only package pipeline calls this (a test of the architecture).
//
// Errors: ErrPublished if the proof does not cover m and the manifest, or there are no values.
func Published(proof ledger.Publication, manifest string, m calibrate.Mechanism, units []int64) (Noisy, error) {
	if err := proof.Covers(m, manifest, false); err != nil {
		return Noisy{}, fmt.Errorf("%w: %w", ErrPublished, err)
	}
	if len(units) == 0 {
		return Noisy{}, fmt.Errorf("%w: no values", ErrPublished)
	}
	return Noisy{mechanism: m, units: units}, nil
}

// PublishedKeys is Published of cells that were selected, with their keys: each once, possibly none.
func PublishedKeys(proof ledger.Publication, manifest string, m calibrate.Mechanism, keys []string, units []int64) (Noisy, error) {
	if err := proof.Covers(m, manifest, true); err != nil {
		return Noisy{}, fmt.Errorf("%w: %w", ErrPublished, err)
	}
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if seen[k] {
			return Noisy{}, fmt.Errorf("%w: a key is there twice", ErrPublished)
		}
		seen[k] = true
	}
	if len(keys) != len(units) {
		return Noisy{}, fmt.Errorf("%w: keys and values are not equally many", ErrPublished)
	}
	return Noisy{mechanism: m, units: units, keys: append([]string{}, keys...)}, nil
}

package mechanism

import (
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
)

// Published returns the noisy vector of a release that is already published, from the values in its folder, as
// multiples of m's grid. Published keeps the slice.
//
// This is post-processing: the values were charged, drawn and published before, so any further use is free. The caller
// makes sure that multiples are the published values, by comparing the folder's files with its release.json, whose
// SHA-256 is manifest. The proof shows that the ledger has a published release with this manifest and this mechanism.
// Only package internal/protocol calls Published; a lint rule checks that.
//
// Errors: ErrPublished if the proof does not cover m and the manifest, or if multiples is nil. If the
// cells belong to keys and none was selected, multiples is empty and not nil.
func Published(proof ledger.Publication, manifest string, m calibrate.Mechanism, multiples []int64) (Noisy, error) {
	if err := proof.Covers(m, manifest, false); err != nil {
		return Noisy{}, fmt.Errorf("%w: %w", ErrPublished, err)
	}
	if multiples == nil {
		return Noisy{}, fmt.Errorf("%w: no values", ErrPublished)
	}
	return Noisy{mechanism: m, multiples: multiples}, nil
}

// PublishedKeys does the same as Published for selected cells, with their keys. Each key occurs once; there may be
// none.
func PublishedKeys(proof ledger.Publication, manifest string, s calibrate.KeySelection, keys []string,
	multiples []int64) (Noisy, error) {
	if err := proof.Covers(s.Mechanism, manifest, true); err != nil {
		return Noisy{}, fmt.Errorf("%w: %w", ErrPublished, err)
	}
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if seen[k] {
			return Noisy{}, fmt.Errorf("%w: a key occurs twice", ErrPublished)
		}
		seen[k] = true
	}
	if len(keys) != len(multiples) {
		return Noisy{}, fmt.Errorf("%w: the numbers of keys and values differ", ErrPublished)
	}
	return Noisy{mechanism: s.Mechanism, multiples: multiples, keys: append([]string{}, keys...), selection: s}, nil
}

package mechanism

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// Synthetic returns a vector as [AddNoise] would return for cells exact answers of 0: only noise of m. It depends on no
// table, so no receipt pays for it, and no release may use it. Before its charge, a run makes a release of such vectors
// and discards it, to find out whether the release can be made. [Noisy.IsSynthetic] reports true for the vector.
//
// Errors: ErrMechanism, ErrEmpty, and errors of ctx and of the system's source of randomness.
func Synthetic(ctx context.Context, m calibrate.Mechanism, cells, workers int) (Noisy, error) {
	grid, err := gauss.Log2(m.Grid)
	if err != nil {
		return Noisy{}, fmt.Errorf("%w: %w", ErrMechanism, err)
	}
	j, err := newDraw(m, grid, workers)
	if err != nil {
		return Noisy{}, err
	}
	if cells < 1 {
		return Noisy{}, ErrEmpty
	}
	// the answers are sparse, so that a long vector is not held in memory
	zeros := &hidden{quantum: grid, size: cells, held: &payload{at: []int{}}}
	n, err := Exact{open: func() *hidden { return zeros }}.noise(ctx, func(calibrate.Mechanism) error { return nil }, j)
	n.synthetic = true
	return n, err
}

// SyntheticKeys does the same as Synthetic for selected keys: each has the smallest count that is selected.
func SyntheticKeys(s calibrate.KeySelection, keys []string) (Noisy, error) {
	least, err := s.Threshold()
	if err != nil {
		return Noisy{}, fmt.Errorf("%w: %w", ErrMechanism, err)
	}
	n := Noisy{mechanism: s.Mechanism, multiples: make([]int64, len(keys)), keys: append([]string{}, keys...),
		selection: s, synthetic: true}
	for i := range n.multiples {
		n.multiples[i] = least
	}
	return n, nil
}

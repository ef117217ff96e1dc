package mechanism

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/mechanism/internal/gauss"
)

// Noise adds exactly rounded Gaussian noise of m's sigma to every cell and returns the result in multiples of m's grid.
// It works in place with up to workers goroutines, each with random bits of its own; workers below 1 counts as 1. Of more than
// 2^20 cells whose answers are sparse it draws the keys alone: their noise is drawn from these as the result is read.
//
// It redeems r for m before the first draw. Up to then an error (ErrReceipt, ErrMechanism, the ledger's, or ctx's) leaves
// the value as it was; ErrSpent says that it was noised before. Afterwards an error (ctx's, or that of the system's
// source of randomness) means that the cells are wiped and the value spent.
func (e Exact) Noise(ctx context.Context, r ledger.Receipt, m calibrate.Mechanism, workers int) (Noisy, error) {
	if e.open == nil {
		return Noisy{}, ErrEmpty
	}
	if r == (ledger.Receipt{}) {
		return Noisy{}, ErrReceipt
	}
	s := e.open()
	j, err := newJob(m, s.unit, workers)
	if err != nil {
		return Noisy{}, err
	}
	p, err := s.take()
	if err != nil {
		return Noisy{}, err
	}
	if err := redeem(ctx, r, m); err != nil {
		s.putBack(p)
		return Noisy{}, err
	}
	if p.at != nil && s.size > heldCells {
		return j.streamed(p, s.size, m)
	}
	p = p.spread(s.size)
	if err := j.run(ctx, p); err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: m, units: p.high}, nil
}

// streamed returns the noisy vector of sparse answers that is drawn as it is read.
func (j job) streamed(p *payload, size int, m calibrate.Mechanism) (Noisy, error) {
	s, err := j.stream(p, size)
	if err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: m, open: func() *stream { return s }}, nil
}

func redeem(ctx context.Context, r ledger.Receipt, m calibrate.Mechanism) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.Redeem(m)
}

// job is the public parameters of one call of Noise.
type job struct {
	scale   gauss.Scale
	lift    int // a cell counts 2^lift grid units
	workers int
	entropy io.Reader // safe for concurrent use
}

func newJob(m calibrate.Mechanism, unit, workers int) (job, error) {
	scale, err := gauss.NewScale(float64(m.Sigma), m.Grid)
	if err != nil {
		return job{}, fmt.Errorf("%w: %w", ErrMechanism, err)
	}
	grid, err := gauss.Log2(m.Grid)
	if err != nil {
		return job{}, fmt.Errorf("%w: %w", ErrMechanism, err)
	}
	return job{scale: scale, lift: unit - grid, workers: workers, entropy: rand.Reader}, nil
}

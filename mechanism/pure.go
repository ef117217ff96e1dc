package mechanism

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/mechanism/internal/gauss"
	"github.com/dprelease/dprelease/mechanism/internal/laplace"
)

// NoisePure is [Exact.Noise] with exactly rounded Laplace noise or, if m.Geometric is set, exact two-sided geometric
// noise, in multiples of m's grid. It redeems r for m.Mechanism(), the Gaussian mechanism that the ledger charges
// instead of m. The guarantee holds only if m's L1 sensitivity is that of the exact answers.
//
// Further errors: ErrMechanism if the scale is not above 0 or is 2^52 grid units or more, or if the noise is geometric
// and an answer is not a multiple of the grid; ErrWide if the answers have 128 bits.
func (e Exact) NoisePure(ctx context.Context, r ledger.Receipt, m calibrate.Pure, workers int) (Noisy, error) {
	if err := e.checkReady(r); err != nil {
		return Noisy{}, err
	}
	j, err := newPureJob(m, e.open().quantum, workers)
	if err != nil {
		return Noisy{}, fmt.Errorf("%w: %w", ErrMechanism, err)
	}
	return e.noise(ctx, r.Redeem, j)
}

func newPureJob(m calibrate.Pure, quantum, workers int) (job, error) {
	charged, err := m.Mechanism()
	if err != nil {
		return job{}, err
	}
	scale, err := gauss.NewScale(m.Noise.Scale, m.Grid)
	if err != nil {
		return job{}, err
	}
	grid, err := gauss.Log2(m.Grid)
	if err != nil {
		return job{}, err
	}
	newSampler := func(source *gauss.Bits) (sampler, error) { return laplace.New(scale, quantum-grid, source) }
	if m.Geometric {
		newSampler = func(source *gauss.Bits) (sampler, error) { return laplace.NewGeometric(scale, quantum-grid, source) }
	}
	if _, err := newSampler(nil); err != nil { // refuse before the receipt is redeemed
		return job{}, err
	}
	return job{charged: charged, pure: true, sampler: newSampler, workers: workers, entropy: rand.Reader}, nil
}

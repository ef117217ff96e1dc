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
// It works in place, in up to workers goroutines, each with random bits of its own; workers below 1 counts as 1. If the
// answers are sparse and there are more than 2^20 cells, Noise draws only keys, and reading the result draws the noise
// from them.
//
// Noise redeems r for m before the first draw. An error before the draw (ErrReceipt, ErrMechanism, the ledger's, or
// ctx's) leaves e as it was. ErrSpent means that e was noised before. After an error that comes later (ctx's, or that
// of the system's source of randomness) the cells are wiped and e is spent.
func (e Exact) Noise(ctx context.Context, r ledger.Receipt, m calibrate.Mechanism, workers int) (Noisy, error) {
	if err := e.checkReady(r); err != nil {
		return Noisy{}, err
	}
	j, err := newJob(m, e.open().quantum, workers)
	if err != nil {
		return Noisy{}, err
	}
	return e.noise(ctx, r.Redeem, j)
}

// checkReady returns an error unless e has cells that Noise accepts and r is a receipt.
func (e Exact) checkReady(r ledger.Receipt) error {
	switch {
	case e.keyed != nil:
		return ErrKeys
	case e.open == nil:
		return ErrEmpty
	case r == (ledger.Receipt{}):
		return ErrReceipt
	}
	return nil
}

// noise runs a job: it takes the payload out, pays, and draws.
func (e Exact) noise(ctx context.Context, pay redeemer, j job) (Noisy, error) {
	s := e.open()
	p, err := s.takePayload()
	if err != nil {
		return Noisy{}, err
	}
	if err := j.pay(ctx, pay, p); err != nil {
		s.putBack(p)
		return Noisy{}, err
	}
	if p.at != nil && s.size > heldCells {
		return j.newStreamed(p, s.size)
	}
	p = p.spread(s.size)
	if err := j.run(ctx, p); err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: j.charged, pure: j.pure, units: p.cells.High}, nil
}

// newStreamed returns the noisy vector of sparse answers. Its noise is drawn when it is read.
func (j job) newStreamed(p *payload, size int) (Noisy, error) {
	s, err := j.newStream(p, size)
	if err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: j.charged, pure: j.pure}.readFrom(s), nil
}

// redeemer redeems a receipt for a mechanism.
type redeemer func(calibrate.Mechanism) error

func (pay redeemer) redeem(ctx context.Context, m calibrate.Mechanism) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return pay(m)
}

// pay redeems the receipt, if the sampler can noise the answers.
func (j job) pay(ctx context.Context, pay redeemer, p *payload) error {
	if j.pure && p.cells.Low != nil {
		return ErrWide
	}
	return pay.redeem(ctx, j.charged)
}

// sampler adds noise to cells in place. A Gaussian sampler also takes cells of 128 bits.
type sampler interface {
	Add(cells []int64) error
}

// job holds the public parameters of one call of Noise.
type job struct {
	charged calibrate.Mechanism
	pure    bool // the noise is not Gaussian
	sampler func(*gauss.Bits) (sampler, error)
	workers int
	entropy io.Reader // safe for concurrent use
}

func newJob(m calibrate.Mechanism, quantum, workers int) (job, error) {
	scale, err := gauss.NewScale(float64(m.Sigma), m.Grid)
	if err != nil {
		return job{}, fmt.Errorf("%w: %w", ErrMechanism, err)
	}
	grid, err := gauss.Log2(m.Grid)
	if err != nil {
		return job{}, fmt.Errorf("%w: %w", ErrMechanism, err)
	}
	newSampler := func(source *gauss.Bits) (sampler, error) { return gauss.New(scale, quantum-grid, source) }
	return job{charged: m, sampler: newSampler, workers: workers, entropy: rand.Reader}, nil
}

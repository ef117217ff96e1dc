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
	if err := e.ready(r); err != nil {
		return Noisy{}, err
	}
	j, err := newJob(m, e.open().unit, workers)
	if err != nil {
		return Noisy{}, err
	}
	return e.noise(ctx, r.Redeem, j)
}

// ready says whether there are cells that may have noise, all of them, and a receipt.
func (e Exact) ready(r ledger.Receipt) error {
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

// noise is Noise of a job, with what redeems the receipt.
func (e Exact) noise(ctx context.Context, pay redeemer, j job) (Noisy, error) {
	s := e.open()
	p, err := s.take()
	if err != nil {
		return Noisy{}, err
	}
	if err := j.accept(ctx, pay, p); err != nil {
		s.putBack(p)
		return Noisy{}, err
	}
	if p.at != nil && s.size > heldCells {
		return j.streamed(p, s.size)
	}
	p = p.spread(s.size)
	if err := j.run(ctx, p); err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: j.charged, pure: j.pure, units: p.cells.High}, nil
}

// streamed returns the noisy vector of sparse answers that is drawn as it is read.
func (j job) streamed(p *payload, size int) (Noisy, error) {
	s, err := j.stream(p, size)
	if err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: j.charged, pure: j.pure}.drawnFrom(s), nil
}

// redeemer redeems a receipt for a mechanism.
type redeemer func(calibrate.Mechanism) error

func (pay redeemer) redeem(ctx context.Context, m calibrate.Mechanism) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return pay(m)
}

// accept redeems the receipt if the job can noise the answers.
func (j job) accept(ctx context.Context, pay redeemer, p *payload) error {
	if j.pure && p.cells.Low != nil {
		return ErrWide
	}
	return pay.redeem(ctx, j.charged)
}

// sampler adds noise to cells, in place: to those of 64 bits, and to those of 128 if it is Gaussian.
type sampler interface {
	Add(cells []int64) error
}

// job is the public parameters of one call of Noise.
type job struct {
	charged calibrate.Mechanism
	pure    bool // the noise is not Gaussian
	sampler func(*gauss.Bits) (sampler, error)
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
	newSampler := func(source *gauss.Bits) (sampler, error) { return gauss.New(scale, unit-grid, source) }
	return job{charged: m, sampler: newSampler, workers: workers, entropy: rand.Reader}, nil
}

package mechanism

import (
	"context"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
)

// AddNoise adds exactly rounded Gaussian noise of m's sigma to every cell and returns the result in multiples of m's
// grid. If m's noise is geometric or Laplace, it adds exact two-sided geometric noise, or exactly rounded Laplace
// noise, of m's scale. The guarantee holds only if m's sensitivity is the sensitivity of the exact answers: the L2
// sensitivity for Gaussian noise, the L1 sensitivity for other noise.
//
// It works in place, in up to workers goroutines, each with its own random bits; workers below 1 means 1. If the
// answers are sparse and there are more than 2^20 cells, AddNoise draws only keys, and reading the result draws the
// noise from them.
//
// AddNoise redeems r for m before the first draw. An error before the draw (ErrReceipt, ErrMechanism, or an error of
// the ledger or ctx) leaves e as it was. ErrSpent means that e got noise before. After a later error (of ctx, or of the
// system's source of randomness) the cells are wiped and e is spent.
//
// It is a function and not a method of [Exact]. A program outside this module can get an Exact, since packages that it
// can import return values of this type, but it cannot name this function.
func AddNoise(ctx context.Context, e Exact, r ledger.Receipt, m calibrate.Mechanism, workers int) (Noisy, error) {
	if err := e.checkReady(r); err != nil {
		return Noisy{}, err
	}
	d, err := newDraw(m, e.open().quantum, workers)
	if err != nil {
		return Noisy{}, err
	}
	return e.noise(ctx, r.Redeem, d)
}

// checkReady returns an error if e has no cells, if they cannot get noise yet, or if r is empty.
func (e Exact) checkReady(r ledger.Receipt) error {
	switch {
	case e.keyed != nil:
		return ErrKeys
	case e.choice != nil, e.selected != nil:
		return ErrChoice
	case e.open == nil:
		return ErrEmpty
	case r == (ledger.Receipt{}):
		return ErrReceipt
	}
	return nil
}

// noise takes the answers out of e, calls pay to redeem the receipt, and draws.
func (e Exact) noise(ctx context.Context, pay redeemer, d draw) (Noisy, error) {
	s := e.open()
	p, err := s.takePayload()
	if err != nil {
		return Noisy{}, err
	}
	if err := pay.redeem(ctx, d.charged); err != nil {
		s.putBack(p)
		return Noisy{}, err
	}
	if p.at != nil && s.size > heldCells {
		return d.newStreamed(p, s.size)
	}
	p = p.spread(s.size)
	if err := d.run(ctx, p); err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: d.charged, multiples: p.cells.High}, nil
}

// newStreamed returns the noisy vector of sparse answers, whose noise is drawn whenever it is read.
func (d draw) newStreamed(p *payload, size int) (Noisy, error) {
	s, err := d.newStream(p, size)
	if err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: d.charged}.readFrom(s), nil
}

// redeemer redeems a receipt for a mechanism, or refuses.
type redeemer func(calibrate.Mechanism) error

func (pay redeemer) redeem(ctx context.Context, m calibrate.Mechanism) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return pay(m)
}

package mechanism

import (
	"fmt"
	"io"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
	"github.com/dprelease/dprelease/internal/mechanism/internal/laplace"
)

// sampler adds noise to cells in place. A cell of 128 bits has its result in the high half.
type sampler interface {
	Add(cells []int64) error
	AddWide(cells int128.Slice) error
}

// draw holds the public parameters of one call to [AddNoise].
type draw struct {
	charged calibrate.Mechanism
	sampler func(*gauss.Bits) (sampler, error)
	workers int
	entropy io.Reader // the source of keys for random bits; safe for concurrent use
}

func newDraw(m calibrate.Mechanism, quantum, workers int) (draw, error) {
	newSampler, err := samplerOf(m, quantum)
	if err != nil {
		return draw{}, fmt.Errorf("%w: %w", ErrMechanism, err)
	}
	entropy, err := systemRandom()
	return draw{charged: m, sampler: newSampler, workers: workers, entropy: entropy}, err
}

// samplerOf returns a function that makes samplers of m's noise, for exact answers in multiples of 2^quantum.
func samplerOf(m calibrate.Mechanism, quantum int) (func(*gauss.Bits) (sampler, error), error) {
	size := float64(m.Sigma)
	if m.Noise != calibrate.Gaussian {
		if err := m.Validate(); err != nil {
			return nil, err
		}
		size = m.Scale
	}
	scale, err := gauss.NewScale(size, m.Grid)
	if err != nil {
		return nil, err
	}
	grid, err := gauss.Log2(m.Grid)
	if err != nil {
		return nil, err
	}
	newSampler := func(source *gauss.Bits) (sampler, error) { return gauss.New(scale, quantum-grid, source) }
	switch m.Noise {
	case calibrate.Geometric:
		newSampler = func(source *gauss.Bits) (sampler, error) { return laplace.NewGeometric(scale, quantum-grid, source) }
	case calibrate.LaplaceNoise:
		newSampler = func(source *gauss.Bits) (sampler, error) { return laplace.New(scale, quantum-grid, source) }
	}
	_, err = newSampler(nil) // make one sampler now: if that fails, the receipt is not redeemed
	return newSampler, err
}

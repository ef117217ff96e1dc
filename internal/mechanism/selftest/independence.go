package selftest

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// paired is the input whose noisy copies are tested for independence.
var paired = input{scale: 16}

// coarse returns few, wide bins, so that each pair of bins expects many samples.
func coarse(d noise) bins {
	width := max(1, int64(d.scale/2))
	b := bins{first: d.base - 4*width, width: width}
	b.probability = append(b.probability, d.probabilityBelow(b.first))
	edge := b.first
	for range 8 {
		b.probability = append(b.probability, d.probabilityBetween(d.z(edge), d.z(edge+width)))
		edge += width
	}
	b.probability = append(b.probability, d.lowerTail(-d.z(edge)))
	return b
}

// tally adds 1 to the count of the pair of bins of x[i] and y[i], for each i.
func (b bins) tally(counts []int, x, y []int64) {
	for i := range x {
		counts[b.find(x[i])*len(b.probability)+b.find(y[i])]++
	}
}

// successive tests whether the samples that one source draws one after the other are independent.
func successive(ctx context.Context, budget time.Duration) (Check, error) {
	b := coarse(paired.exact())
	counts := make([]int, len(b.probability)*len(b.probability))
	err := draw(ctx, paired, budget, func(cells []int64) {
		for i := 0; i+1 < len(cells); i += 2 {
			b.tally(counts, cells[i:i+1], cells[i+1:i+2])
		}
	})
	return chiSquare("sampler, successive samples are independent", counts, b.pairs()), err
}

// blocks tests whether neighbouring blocks of a vector that is too long for memory are independent. It compares samples
// at the same index of two blocks, which use different bits of one key.
func blocks(ctx context.Context, budget time.Duration) (Check, error) {
	const many = 1 << 20
	b := coarse(paired.exact())
	counts := make([]int, len(b.probability)*len(b.probability))
	keys, err := gauss.NewKeys(rand.Reader, many)
	if err != nil {
		return Check{}, err
	}
	var cells [2][chunk]int64
	end := time.Now().Add(budget)
	for i := 0; i < many && (i*chunk < minSamples || time.Now().Before(end)); i += 2 {
		if err := ctx.Err(); err != nil {
			return Check{}, err
		}
		for k := range cells {
			if err := fillBlock(keys, i+k, cells[k][:]); err != nil {
				return Check{}, err
			}
		}
		b.tally(counts, cells[0][:], cells[1][:])
	}
	return chiSquare("sampler, blocks of a long vector are independent", counts, b.pairs()), nil
}

// fillBlock draws noise from the bits of a block.
func fillBlock(keys *gauss.Keys, block int, cells []int64) error {
	source, err := keys.Block(block, nil)
	if err != nil {
		return err
	}
	scale, err := gauss.NewScale(paired.scale, 1)
	if err != nil {
		return err
	}
	s, err := gauss.New(scale, 0, source)
	if err != nil {
		return err
	}
	return s.Fill(cells)
}

// workers tests whether the sources of two workers are independent. It compares samples at the same index of two
// sources that are made like the sources of workers.
func workers(ctx context.Context, budget time.Duration) (Check, error) {
	b := coarse(paired.exact())
	counts := make([]int, len(b.probability)*len(b.probability))
	other, err := newDrawer(paired)
	if err != nil {
		return Check{}, err
	}
	var failed error
	err = draw(ctx, paired, budget, func(cells []int64) {
		theirs, err := other.next()
		if err != nil {
			failed = err
			return
		}
		b.tally(counts, cells, theirs)
	})
	return chiSquare("sampler, two workers are independent", counts, b.pairs()), errors.Join(err, failed)
}

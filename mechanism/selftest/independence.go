package selftest

import (
	"context"
	"errors"
	"time"
)

// paired is the noise that the tests of independence draw.
var paired = input{scale: 16}

// coarse cuts a distribution into few bins, so that each pair of bins expects many samples.
func coarse(d noise) bins {
	width := max(1, int64(d.scale/2))
	b := bins{first: d.base - 4*width, width: width}
	b.probability = append(b.probability, d.below(b.first))
	edge := b.first
	for range 8 {
		b.probability = append(b.probability, between(d.z(edge), d.z(edge+width)))
		edge += width
	}
	b.probability = append(b.probability, normal(-d.z(edge)))
	return b
}

// tally counts the pairs of bins of x[i], y[i].
func (b bins) tally(counts []int, x, y []int64) {
	for i := range x {
		counts[b.find(x[i])*len(b.probability)+b.find(y[i])]++
	}
}

// successive tests pairs of samples that one source draws one after the other.
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

// workers tests pairs of samples at the same place of two sources, made as two workers make theirs.
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

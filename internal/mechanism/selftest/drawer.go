package selftest

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"time"

	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

const (
	// minSamples is the number of samples that a check draws even if its time is over. Bins are made for this number.
	minSamples = 2_000_000
	// chunk is the number of samples that are drawn at a time. The workers of a release draw blocks of the same length.
	chunk = 1 << 14
)

// input is a number to which a check adds noise: the number cell·2^lift in grid units, and the scale S of the noise.
type input struct {
	scale float64
	lift  int // −52 … 0
	cell  int64
}

// exact returns the exact distribution of the noisy number.
func (in input) exact() noise {
	base := in.cell >> -in.lift
	part := math.Ldexp(float64(in.cell-base<<-in.lift), in.lift)
	return noise{base: base, part: part, scale: in.scale}
}

// String returns S and x = cell·2^lift, for the names of checks.
func (in input) String() string {
	s := fmt.Sprintf("S = %g", in.scale)
	if f, e := math.Frexp(in.scale); f == 0.5 {
		s = fmt.Sprintf("S = 2^%d", e-1)
	}
	if in.lift == 0 {
		return fmt.Sprintf("%s, x = %d", s, in.cell)
	}
	return fmt.Sprintf("%s, x = %d·2^%d", s, in.cell, in.lift)
}

// drawer draws noisy copies of one input, with its own random bits.
type drawer struct {
	cell    int64
	sampler adder
	cells   []int64
}

// adder adds noise to cells.
type adder interface{ Add(cells []int64) error }

func newDrawer(in input) (*drawer, error) {
	return in.drawnBy(func(scale gauss.Scale, source *gauss.Bits) (adder,
		error) {
		return gauss.New(scale, in.lift, source)
	})
}

// drawnBy returns a drawer with the sampler that newSampler makes from the scale and new random bits.
func (in input) drawnBy(newSampler func(gauss.Scale, *gauss.Bits) (adder, error)) (*drawer, error) {
	scale, err := gauss.NewScale(in.scale, 1)
	if err != nil {
		return nil, err
	}
	source, err := gauss.NewBits(rand.Reader)
	if err != nil {
		return nil, err
	}
	s, err := newSampler(scale, source)
	return &drawer{in.cell, s, make([]int64, chunk)}, err
}

// next returns a chunk of samples. It is valid until the next call.
func (d *drawer) next() ([]int64, error) {
	for i := range d.cells {
		d.cells[i] = d.cell
	}
	return d.cells, d.sampler.Add(d.cells)
}

// draw passes chunks of noisy copies of in to see, until budget is over and at least minSamples are drawn.
func draw(ctx context.Context, in input, budget time.Duration, see func([]int64)) error {
	d, err := newDrawer(in)
	if err != nil {
		return err
	}
	return d.draw(ctx, budget, see)
}

// draw passes chunks of noisy numbers to see, until budget is over and at least minSamples are drawn.
func (d *drawer) draw(ctx context.Context, budget time.Duration, see func([]int64)) error {
	end := time.Now().Add(budget)
	for n := 0; n < minSamples || time.Now().Before(end); n += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		cells, err := d.next()
		if err != nil {
			return err
		}
		see(cells)
	}
	return nil
}

// fit tests whether noisy copies of in have their exact distribution.
func (in input) fit(ctx context.Context, budget time.Duration) (Check, error) {
	d, err := newDrawer(in)
	if err != nil {
		return Check{}, err
	}
	return d.fit(ctx, budget, in.exact(), "sampler, exact probabilities, "+in.String())
}

// fit tests whether the drawn numbers have the distribution exact. name is the name of the check.
func (d *drawer) fit(ctx context.Context, budget time.Duration, exact noise, name string) (Check, error) {
	b := newBins(exact, minSamples)
	counts := make([]int, len(b.probability))
	err := d.draw(ctx, budget, func(cells []int64) {
		for _, y := range cells {
			counts[b.find(y)]++
		}
	})
	return chiSquare(name, counts, b.probability), err
}

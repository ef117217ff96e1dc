package selftest

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"time"

	"github.com/dprelease/dprelease/mechanism/internal/gauss"
)

const (
	// leastSamples is how many samples a check draws even if it has no time. Bins are made for this number.
	leastSamples = 2_000_000
	// chunk is how many samples are drawn at a time, which is how many of a release's cells a worker takes.
	chunk = 1 << 14
)

// input is a number to which noise of this scale is added: cell·2^lift.
type input struct {
	scale float64
	lift  int // −52 … 0
	cell  int64
}

// inputs are the scales and exact numbers whose noise is tested: the limits of the range; S below, near and far above
// the grid; exact numbers on the grid and below it.
var inputs = []input{
	{1.0 / 128, -8, 127}, {0.3, 0, 7}, {0.3, -1, 1}, {1, -4, 9}, {2.5, -52, -1<<52 - 12345}, {10, -20, 1<<40 + 12345}, {100, 0, 1},
	{1 << 20, 0, 0}, {1 << 40, -1, 1}, {1 << 55, -30, -1},
}

// exact returns the distribution of the noisy number.
func (in input) exact() noise {
	base := in.cell >> -in.lift
	part := math.Ldexp(float64(in.cell-base<<-in.lift), in.lift)
	return noise{base: base, part: part, scale: in.scale}
}

// sampler makes the sampler's checks, each with an equal share of the time.
func sampler(ctx context.Context, budget time.Duration) ([]Check, error) {
	tests := []func(context.Context, time.Duration) (Check, error){lowBits, neighbours, moments, successive, workers, blocks}
	for _, in := range inputs {
		tests = append(tests, in.fit)
	}
	for _, in := range pureInputs {
		tests = append(tests, in.fit)
	}
	checks := make([]Check, 0, len(tests))
	for _, test := range tests {
		c, err := test(ctx, budget/time.Duration(len(tests)))
		if err != nil {
			return nil, err
		}
		checks = append(checks, c)
	}
	return checks, nil
}

// drawer yields noisy copies of one input. It has a source of its own, as each worker has.
type drawer struct {
	cell    int64
	sampler adder
	cells   []int64
}

// adder adds noise to cells.
type adder interface{ Add(cells []int64) error }

func newDrawer(in input) (*drawer, error) {
	return in.drawnBy(func(scale gauss.Scale, source *gauss.Bits) (adder, error) { return gauss.New(scale, in.lift, source) })
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

// draw passes chunks of in's noisy copies to see, until the time is over and there are enough.
func draw(ctx context.Context, in input, budget time.Duration, see func([]int64)) error {
	d, err := newDrawer(in)
	if err != nil {
		return err
	}
	return d.draw(ctx, budget, see)
}

// draw passes chunks of noisy numbers to see, until the time is over and there are enough.
func (d *drawer) draw(ctx context.Context, budget time.Duration, see func([]int64)) error {
	end := time.Now().Add(budget)
	for n := 0; n < leastSamples || time.Now().Before(end); n += chunk {
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

// fit compares the noise with its exact probabilities.
func (in input) fit(ctx context.Context, budget time.Duration) (Check, error) {
	d, err := newDrawer(in)
	if err != nil {
		return Check{}, err
	}
	return d.fit(ctx, budget, in.exact(), "sampler, exact probabilities, "+in.String())
}

// fit compares the noise with its exact distribution, in a check of that name.
func (d *drawer) fit(ctx context.Context, budget time.Duration, exact noise, name string) (Check, error) {
	b := newBins(exact, leastSamples)
	counts := make([]int, len(b.probability))
	err := d.draw(ctx, budget, func(cells []int64) {
		for _, y := range cells {
			counts[b.find(y)]++
		}
	})
	return chiSquare(name, counts, b.probability), err
}

// String writes S and x = cell·2^lift.
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

// lowBits tests that the last six binary digits are uniform if sigma is many grid units.
func lowBits(ctx context.Context, budget time.Duration) (Check, error) {
	var counts [64]int
	err := draw(ctx, input{1 << 40, 0, 1<<53 - 1}, budget, func(cells []int64) {
		for _, y := range cells {
			counts[y&63]++
		}
	})
	uniform := make([]float64, len(counts))
	for i := range uniform {
		uniform[i] = 1.0 / float64(len(counts))
	}
	return chiSquare("sampler, low bits are uniform, S = 2^40", counts[:], uniform), err
}

// neighbours compares the low bits of noisy 2^53 − 1 and 2^53 − 2, inside and outside the range in which a float64
// holds every integer. They differ if noise is added in floats (Mironov 2012; Casacuberta et al. 2022).
func neighbours(ctx context.Context, budget time.Duration) (Check, error) {
	var counts [2][16]int
	for i := range counts {
		err := draw(ctx, input{0x1.f333333333333p54, 0, 1<<53 - 1 - int64(i)}, budget/2, func(cells []int64) {
			for _, y := range cells {
				k := int(y & 7)
				if -1<<53 < y && y < 1<<53 {
					k += 8
				}
				counts[i][k]++
			}
		})
		if err != nil {
			return Check{}, err
		}
	}
	return homogeneous("sampler, low bits of neighbouring inputs 2^53 - 1 and 2^53 - 2", counts[0][:], counts[1][:]), nil
}

// mostErrors is how many standard errors a moment may deviate. For a sum of many terms, 8 has a probability below
// 1e-14, and the fourth power's skewness at leastSamples raises that less than tenfold.
const mostErrors = 8

// moments compares the first four moments with those of a normal variable.
func moments(ctx context.Context, budget time.Duration) (Check, error) {
	const scale = 1 << 30
	want := [...]float64{0, 1, 0, 3}
	variance := [...]float64{1, 2, 15, 96}
	var sum [4]float64
	n := 0
	err := draw(ctx, input{scale, 0, 0}, budget, func(cells []int64) {
		n += len(cells)
		for _, y := range cells {
			z := float64(y) / scale
			sum[0] += z
			sum[1] += z * z
			sum[2] += z * z * z
			sum[3] += z * z * z * z
		}
	})
	worst := 0.0
	for i := range sum {
		worst = max(worst, math.Abs(sum[i]/float64(n)-want[i])/math.Sqrt(variance[i]/float64(n)))
	}
	c := Check{Name: "sampler, first four moments, S = 2^30", Measure: "standard errors", Samples: n, Statistic: worst, Threshold: mostErrors}
	return c.judged(), err
}

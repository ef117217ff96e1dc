package selftest

import (
	"context"
	"math"
	"time"
)

// inputs are the scales S and the numbers with which the sampler is tested: the limits of its range; scales below 1,
// near 1 and far above 1; numbers on the grid and with digits below it.
var inputs = []input{
	{1.0 / 128, -8, 127}, {0.3, 0, 7}, {0.3, -1, 1}, {1, -4, 9}, {2.5, -52, -1<<52 - 12345}, {10, -20, 1<<40 +
		12345}, {100, 0, 1},
	{1 << 20, 0, 0}, {1 << 40, -1, 1}, {1 << 55, -30, -1},
}

// sampler runs the sampler's checks. Each has an equal share of the time.
func sampler(ctx context.Context, budget time.Duration) ([]Check, error) {
	tests := []func(context.Context, time.Duration) (Check, error){lowBits, neighbours, moments, successive, workers,
		blocks}
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

// lowBits tests whether the last six binary digits of noise are uniform if sigma is many grid units.
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

// neighbours tests whether the low bits of noisy copies of 2^53 − 1 and 2^53 − 2 have the same distribution, inside and
// outside the range in which a float64 holds every integer. The distributions differ if noise is added in floats
// (Mironov 2012; Casacuberta et al. 2022).
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

// maxErrors is the largest accepted deviation of a moment, in standard errors. A normal variable exceeds 8 standard
// deviations with probability below 1e-14. The mean of at least minSamples fourth powers is not quite normal, but its
// skewness raises this probability less than tenfold.
const maxErrors = 8

// moments tests the first four moments of the noise against the moments of a normal variable.
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
	c := Check{Name: "sampler, first four moments, S = 2^30", Measure: "standard errors", Samples: n, Statistic: worst,
		Threshold: maxErrors}
	return c.judged(), err
}

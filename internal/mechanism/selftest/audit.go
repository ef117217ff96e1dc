package selftest

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// The rows of a cell in the audit's two tables: each cell has fewer rows in one table and more rows in the other.
const (
	fewer = 1
	more  = 2
)

// Release makes a release of a table with rows rows in each of cells cells. Each row is a privacy unit of its own. It
// returns the noisy number of rows of each cell, and the mechanism that the release claims, with a sensitivity of 1
// row. The release uses the same code as a user's release.
type Release func(ctx context.Context, cells, rows int) ([]float64, calibrate.Mechanism, error)

// Pairs returns the number of cells that the audit compares in the two tables: at least a hundred thousand, and a
// million if budget is ten seconds or more. If mu is near 1, both numbers detect noise that is 10 % too small: the
// lower bound of mu is then 8 or more of its standard deviations above the claim.
func Pairs(budget time.Duration) int {
	const perSecond, fullAt = 100_000, 10
	return int(perSecond * min(fullAt, max(1, budget/time.Second)))
}

// audit releases two tables, which differ by one row in each cell. If the mechanism is mu-Gaussian differentially
// private (Dong, Roth & Su 2022), no test tells the two better apart than N(0, 1) from N(mu, 1), so that
//
//	Phi⁻¹(1 − FPR) − Phi⁻¹(FNR) <= mu
//
// for the test "the noisy count is above the middle". If the noise is as claimed, cells are independent and the numbers
// of errors are binomial. Upper Clopper–Pearson bounds of both error rates then give a lower bound of mu that exceeds
// the claimed mu with probability at most alarm/2. The other checks compare the released noise with its exact
// distribution.
func audit(ctx context.Context, cells int, release Release) ([]Check, error) {
	without, m, err := release(ctx, cells, fewer)
	if err != nil {
		return nil, err
	}
	with, other, err := release(ctx, cells, more)
	if err != nil {
		return nil, err
	}
	if len(without) != cells || len(with) != cells || m.Sigma != other.Sigma || m.Grid != other.Grid ||
		m.Noise != other.Noise || m.Scale != other.Scale {
		return nil, errors.New("selftest: the releases of two neighbouring tables differ in cells or mechanism")
	}
	x, y := inUnits(without, m, fewer), inUnits(with, m, more)
	var first Check
	d, name := noise{scale: float64(m.Sigma) / m.Grid}, "release"
	if m.Noise == calibrate.Gaussian {
		first = boundMu(without, with, m.Mu())
	} else {
		d, name = pureInput{input{scale: m.Scale / m.Grid}, m.Noise == calibrate.Geometric}.exact(), "release with delta 0"
		first = boundEpsilon(without, with, m.Sens.L2/m.Scale)
	}
	return []Check{
		first,
		released(name+", exact probabilities", x, d),
		released(name+" of the neighbour, exact probabilities", y, d),
		independent(name+", neighbouring cells are independent", d, pairAtLag(x, 1)),
		independent(name+", blocks of cells are independent", d, pairAtLag(x, chunk)),
		independent(name+", two releases are independent", d, [][2][]int64{{x, y}}),
	}, nil
}

// boundEpsilon tests whether noisy counts are above the middle, and derives a lower bound of epsilon from the ratio of
// the two probabilities: under epsilon-differential privacy 1 − FNR <= e^epsilon·FPR. Geometric noise attains it.
func boundEpsilon(without, with []float64, claimed float64) Check {
	n, falsePositives, falseNegatives := errorsOf(without, with)
	fpr, fnr := proportionBound(falsePositives, n, alarm/32), proportionBound(falseNegatives, n, alarm/32)
	c := Check{
		Name: "release with delta 0, audit of neighbouring tables", Measure: "lower bound of epsilon", Samples: 2 * n,
		Statistic: max(0, math.Log((1-fnr)/fpr)), Threshold: claimed,
	}
	return c.judged()
}

// boundMu tests whether noisy counts are above the middle, and derives a lower bound of mu from the error rates.
func boundMu(without, with []float64, claimed calibrate.Mu) Check {
	n, falsePositives, falseNegatives := errorsOf(without, with)
	c := Check{
		Name: "release, audit of neighbouring tables", Measure: "lower bound of mu", Samples: 2 * n,
		Statistic: muBound(falsePositives, falseNegatives, n), Threshold: float64(claimed),
	}
	return c.judged()
}

// errorsOf counts the errors of the test "the noisy count is above the middle", in n cases each.
func errorsOf(without, with []float64) (n, falsePositives, falseNegatives int) {
	const middle = (fewer + more) / 2.0
	for i := range without {
		if without[i] > middle {
			falsePositives++
		}
		if !(with[i] > middle) {
			falseNegatives++
		}
	}
	return len(without), falsePositives, falseNegatives
}

// muBound returns a lower bound of mu, from the numbers of errors in n cases each. It exceeds the true mu with
// probability at most alarm/2.
func muBound(falsePositives, falseNegatives, n int) float64 {
	fpr := proportionBound(falsePositives, n, alarm/4)
	fnr := proportionBound(falseNegatives, n, alarm/4)
	return max(0, normalQuantile(1-fpr)-normalQuantile(fnr)) // mu is never negative
}

// inUnits returns the noise in the noisy counts of cells with rows rows each, in grid units.
func inUnits(counts []float64, m calibrate.Mechanism, rows float64) []int64 {
	out := make([]int64, len(counts))
	for i, c := range counts {
		out[i] = int64((c - rows) / m.Grid)
	}
	return out
}

func released(name string, x []int64, d noise) Check {
	b := newBins(d, len(x))
	counts := make([]int, len(b.probability))
	for _, y := range x {
		counts[b.find(y)]++
	}
	return chiSquare(name, counts, b.probability)
}

// independent tests with a chi-square whether noise is independent. Each pair holds two slices x and y, and the test
// compares x[i] with y[i] for all i.
func independent(name string, d noise, pairs [][2][]int64) Check {
	b := coarse(d)
	counts := make([]int, len(b.probability)*len(b.probability))
	for _, p := range pairs {
		b.tally(counts, p[0], p[1])
	}
	return chiSquare(name, counts, b.pairs())
}

// pairAtLag pairs each cell with the cell that is lag further on; each cell is in one pair. A worker draws chunk cells
// at a time, so lag = chunk pairs cells that different workers drew.
func pairAtLag(x []int64, lag int) (pairs [][2][]int64) {
	for ; len(x) >= 2*lag; x = x[2*lag:] {
		pairs = append(pairs, [2][]int64{x[:lag], x[lag : 2*lag]})
	}
	return pairs
}

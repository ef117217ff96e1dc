package kinds

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// If a key is selected, its interval contains the count in 94.5 to 95.5 % of the selections, however far the count is
// below the threshold. The noisy counts of selected keys are too large on average, by up to five standard deviations.
// The bias of the estimates is less than a tenth of their standard deviation, for counts that are selected in more than
// one of 1,000 releases. The tolerances are 6 standard errors, which one of 10^8 tests exceeds by chance.
func TestSelectedCountsAreCovered(t *testing.T) {
	owntest.Slow(t)
	r := rand.New(rand.NewPCG(3, 4))
	trials := 20_000
	if testing.Short() {
		trials = 5_000
	}
	const grid = 1. / 64
	x := &truncated{selection: selection{cut: 45 - grid/2, sigma: 6, least: 1, grid: grid}}
	x.correct()
	for _, f := range []float64{15, 20, 30, 35, 40, 45, 50, 60, 80, 105, 130, 140, 150} {
		held, n := 0, 0
		sum, squares, raw := 0.0, 0.0, 0.0
		for n < trials {
			y := math.Floor(truncatedNormal(r, f, x.sigma, x.cut)/grid+0.5) * grid
			n++
			low, high, estimate := x.low(y), x.high(y), x.estimate(y)
			if low <= f && f <= high {
				held++
			}
			if estimate > max(y, x.least) || y > x.cut+5*x.sigma && y-estimate > 0.05*x.sigma {
				t.Fatalf("count %v: the estimate of a noisy %v is %v", f, y, estimate)
			}
			if low > estimate || estimate > high {
				t.Fatalf("count %v: noisy %v has estimate %v outside of [%v, %v]", f, y, estimate, low, high)
			}
			sum += estimate - f
			squares += (estimate - f) * (estimate - f)
			raw += y - f
		}
		covered, bias := float64(held)/float64(n), sum/float64(n)
		deviation := math.Sqrt(squares/float64(n) - bias*bias)
		t.Logf("count %v: covered %.4f, bias %.2f of a deviation of %.2f, of the noisy count %.2f",
			f, covered, bias, deviation,
			raw/float64(n))
		if slack := 6 * math.Sqrt(.05*.95/float64(n)); covered < 0.945-slack || covered > 0.955+slack {
			t.Errorf("count %v: %.4f of the intervals hold it", f, covered)
		}
		if slack := 6 / math.Sqrt(float64(n)); f >= x.cut-3.1*x.sigma && math.Abs(bias) > (0.1+slack)*deviation {
			t.Errorf("count %v: the estimates' bias is %.2f, and their deviation %.2f", f, bias, deviation)
		}
	}
}

// The intervals also hold on the coarsest grid that noise may have, a sixteenth of its standard deviation. For counts
// near the threshold and below it they contain the count in up to 97.5 % of the selections.
func TestSelectedCountsOnACoarseGridAreCovered(t *testing.T) {
	r := rand.New(rand.NewPCG(913, 5))
	const sigma, grid, trials = 16.0, 1.0, 20_000
	x := &truncated{selection: selection{cut: 90 - grid/2, sigma: sigma, least: 1, grid: grid}}
	x.correct()
	for _, f := range []float64{45, 60, 75, 90, 98, 106, 140, 220} {
		held := 0
		for range trials {
			y := math.Floor(truncatedNormal(r, f, sigma, x.cut)/grid+0.5) * grid
			if x.low(y) <= f && f <= x.high(y) {
				held++
			}
		}
		covered, most := float64(held)/trials, 0.96
		if f <= x.cut+sigma {
			most = 0.975 // one of the noisy counts near the threshold alone can have 2.5 %
		}
		t.Logf("count %v: covered %.4f", f, covered)
		if slack := 6 * math.Sqrt(.05*.95/trials); covered < 0.945-slack || covered > most+slack {
			t.Errorf("count %v: %.4f of the intervals hold it", f, covered)
		}
	}
}

// truncatedNormal draws a normal number that is at least cut.
func truncatedNormal(r *rand.Rand, mean, sd, cut float64) float64 {
	b := (cut - mean) / sd
	if b < 1 {
		for {
			if x := r.NormFloat64(); x >= b {
				return mean + sd*x
			}
		}
	}
	for { // C. P. Robert, Statistics and Computing 5, 1995
		x := b + r.ExpFloat64()/b
		if r.Float64() < math.Exp(-(x-b)*(x-b)/2) {
			return mean + sd*x
		}
	}
}

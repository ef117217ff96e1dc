package gauss

import (
	"crypto/rand"
	"fmt"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"gonum.org/v1/gonum/mathext"
)

// # Statistical tests
//
// They draw real randomness. Together they raise a false alarm with probability below 1e-9: there are fewer than 64 of
// them; see minExpected.
const alarm = 1e-9 / 256

// minExpected is the smallest number of samples that a bin must expect. The tail of the chi-square assumes normal
// counts. If a test has two or three bins, a count of 500 expected samples exceeds its share of the tail 11 times as
// often.
const minExpected = 500

// samples returns how many samples a test draws, normally and in the long run.
func samples(usual, long int) int {
	switch {
	case os.Getenv("DPRELEASE_LONG") == "1":
		return long
	case testing.Short() || !owntest.Checking():
		return usual / 5
	}
	return usual
}

// draw adds noise to n copies of cell, block by block.
func draw(tb testing.TB, s Scale, lift int, cell int64, n int, see func(block []int64)) {
	tb.Helper()
	source, err := NewBits(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	sampler := newSampler(tb, s, lift, source)
	block := make([]int64, 1<<12)
	for n > 0 {
		block = block[:min(n, len(block))]
		for i := range block {
			block[i] = cell
		}
		if err := sampler.Add(block); err != nil {
			tb.Fatal(err)
		}
		see(block)
		n -= len(block)
	}
}

// check fails the test if counts do not fit the probabilities of the bins.
func check(tb testing.TB, what string, counts []int, probability []float64) {
	tb.Helper()
	if p := fit(tb, counts, probability); p < alarm {
		tb.Errorf("%s: %d bins do not fit, p = %.3g", what, len(counts), p)
	}
}

// fit returns the p-value of Pearson's chi-square.
func fit(tb testing.TB, counts []int, probability []float64) float64 {
	tb.Helper()
	n := 0
	for _, c := range counts {
		n += c
	}
	var chi float64
	for i, c := range counts {
		want := float64(n) * probability[i]
		if want < minExpected/2 {
			tb.Fatalf("bin %d expects %g samples", i, want)
		}
		chi += (float64(c) - want) * (float64(c) - want) / want
	}
	return mathext.GammaIncRegComp(float64(len(counts)-1)/2, chi/2)
}

// bins are intervals of integers: bin i holds all from edges[i−1] up to edges[i]−1. The first and the last bin are
// open-ended.
type bins struct {
	edges       []int64
	probability []float64
}

// newBins cuts the integers around x into steps of width, as far out as n samples can show a deviation, for floor(x +
// S·Z + 1/2).
func newBins(s Scale, x *big.Rat, width int64, n int) bins {
	f := func(edge int64) float64 { return refNormal(s, x, edge) }
	sigma, _ := s.rat().Float64()
	centre, _ := x.Float64()
	reach := int64(7*sigma) + 1
	start := int64(math.Floor(centre)) - reach/width*width
	need := minExpected / float64(n)
	var b bins
	below := 0.0
	for e := start; e <= int64(math.Floor(centre))+reach; e += width {
		if p := f(e); p-below > need && 1-p > need {
			b.edges = append(b.edges, e)
			b.probability = append(b.probability, p-below)
			below = p
		}
	}
	b.probability = append(b.probability, 1-below)
	return b
}

func (b bins) find(y int64) int {
	low, high := 0, len(b.edges)
	for low < high {
		if mid := (low + high) / 2; b.edges[mid] <= y {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// refNormal returns P(floor(x + S·Z + 1/2) < edge) = Phi((edge − 1/2 − x)/S), computed in 700 bits.
func refNormal(s Scale, x *big.Rat, edge int64) float64 {
	z := new(big.Rat).SetInt64(edge)
	z.Sub(z.Sub(z, big.NewRat(1, 2)), x)
	z.Quo(z, s.rat())
	y := new(big.Float).SetPrec(refPrecision).SetRat(z)
	y.Quo(y, new(big.Float).Sqrt(refFloat(2)))
	switch limit := refFloat(12); {
	case y.Cmp(limit) > 0:
		return 1
	case y.Cmp(limit.Neg(limit)) < 0:
		return 0
	}
	p := new(big.Float).Quo(refErf(y), erf12)
	half, _ := p.Quo(p.Add(p, refFloat(1)), refFloat(2)).Float64()
	return half
}

// erf12 scales refErf to an error function: erf(12) is 1 to within 2^-210.
var erf12 = refErf(refFloat(12))

// refErf returns √π/2·erf(x), the integral of e^(−t²) from 0 to x, by its series, for |x| <= 12.
func refErf(x *big.Float) *big.Float {
	sum, term := refFloat(0), new(big.Float).Copy(x)
	square := new(big.Float).Mul(x, x)
	square.Neg(square)
	for k := int64(0); term.Sign() != 0 && term.MantExp(nil) > -refPrecision; k++ {
		sum.Add(sum, new(big.Float).Quo(term, refFloat(2*k+1)))
		term.Quo(term.Mul(term, square), refFloat(k+1))
	}
	return sum
}

func TestChiSquare(t *testing.T) {
	owntest.Slow(t)
	for _, c := range []struct {
		sigma float64
		lift  int
		cell  int64
	}{
		{math.Ldexp(1, -7), -8, 127}, {math.Ldexp(1, -7), -9, -255}, {0.02, -6, 33}, {0.17, 0, 0}, {0.1, -3, -3}, {0.3, 0, 7},
		{0.3, -1, 1}, {0.3, -70, math.MinInt64}, {1, 0, -5}, {1, -4, 9}, {2.5, 2, 3}, {10, 0, 0}, {10, -20, 1<<40 +
			12345}, {100, 0, 1},
		{100, -2, -7}, {1 << 20, 0, 0}, {1 << 40, -1, 1}, {1<<55 - 4, 0, 0}, {1 << 55, -64, -1},
	} {
		n := samples(2_000_000, 20_000_000)
		if c.sigma >= 0.3 && c.sigma <= 10 { // eight of them: over 10^9 in all
			n = samples(2_000_000, 130_000_000)
		}
		s := newScale(t, c.sigma, 1)
		x := new(big.Rat).Mul(new(big.Rat).SetInt64(c.cell), power(c.lift))
		b := newBins(s, x, max(1, int64(c.sigma/16)), n)
		if len(b.edges) == 0 {
			t.Fatalf("%+v: no bins", c)
		}
		check(t, fmt.Sprintf("noise of %+v", c), b.tally(t, s, c.lift, c.cell, n), b.probability)
	}
}

// tally draws n samples and counts them by bin.
func (b bins) tally(tb testing.TB, s Scale, lift int, cell int64, n int) []int {
	tb.Helper()
	counts := make([]int, len(b.probability))
	draw(tb, s, lift, cell, n, func(block []int64) {
		for _, y := range block {
			counts[b.find(y)]++
		}
	})
	return counts
}

// The chi-square test rejects a scale that is 2 % wrong, and a missing fraction of 2.5 % of sigma. Its noncentrality is
// above 1,200, more than 12 of its standard deviations above the acceptance limit. It misses with probability below
// 1e-30.
func TestPower(t *testing.T) {
	const n = 2_000_000
	right := newScale(t, 10, 1)
	b := newBins(right, new(big.Rat), 1, n)
	for _, wrong := range []struct {
		sigma float64
		lift  int
		cell  int64
	}{{10.2, 0, 0}, {9.8, 0, 0}, {10, -3, 2}} {
		if p := fit(t, b.tally(t, newScale(t, wrong.sigma, 1), wrong.lift, wrong.cell, n), b.probability); p > alarm {
			t.Errorf("%+v is not told from sigma 10, p = %.3g", wrong, p)
		}
	}
}

func uniform(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	return p
}

// The low digits are uniform if sigma is many grid units.
func TestLowBits(t *testing.T) {
	for _, sigma := range []float64{1 << 10, 1 << 30, 1 << 40, 1 << 53, 1 << 55} {
		var counts [64]int
		draw(t, newScale(t, sigma, 1), 0, 1<<53-1, samples(1_000_000, 50_000_000), func(block []int64) {
			for _, y := range block {
				counts[y&63]++
			}
		})
		check(t, "low bits", counts[:], uniform(64))
	}
}

// If a sum were rounded to 53 digits before it is released, the low bits would distinguish 2^53 − 1 from 2^53 − 2. They
// do not.
func TestNeighbours(t *testing.T) {
	s := newScale(t, math.Ldexp(3.9, 53), 1)
	var counts [2][16]int
	for i := range counts {
		draw(t, s, 0, 1<<53-1-int64(i), samples(1_000_000, 50_000_000), func(block []int64) {
			for _, y := range block {
				inside := 0
				if -1<<53 < y && y < 1<<53 {
					inside = 8
				}
				counts[i][int(y&7)+inside]++
			}
		})
	}
	// The two inputs have equally many samples, so each is expected to have half of a class's total.
	var chi float64
	for k := range counts[0] {
		x, y := float64(counts[0][k]), float64(counts[1][k])
		chi += (x - y) * (x - y) / (x + y)
	}
	if p := mathext.GammaIncRegComp(15.0/2, chi/2); p < alarm {
		t.Errorf("the noisy low bits of neighbouring inputs differ: chi-square %.1f, p = %.3g\n%v", chi, p, counts)
	}
}

// TestMoments compares the first four moments with a normal variable's, at 6.9 standard errors: 5e-12 each.
func TestMoments(t *testing.T) {
	const sigma = 1 << 30
	n := samples(4_000_000, 50_000_000)
	var sum [4]float64
	draw(t, newScale(t, sigma, 1), 0, 0, n, func(block []int64) {
		for _, y := range block {
			z := float64(y) / sigma
			sum[0] += z
			sum[1] += z * z
			sum[2] += z * z * z
			sum[3] += z * z * z * z
		}
	})
	want := [4]float64{0, 1, 0, 3}
	variance := [4]float64{1, 2, 15, 96}
	for i := range sum {
		if z := (sum[i]/float64(n) - want[i]) / math.Sqrt(variance[i]/float64(n)); math.Abs(z) > 6.9 {
			t.Errorf("moment %d is %g, %g standard errors from %g", i+1, sum[i]/float64(n), z, want[i])
		}
	}
}

// TestIndependence tallies pairs: successive samples of one source, and samples of two sources at the same place.
func TestIndependence(t *testing.T) {
	const n = 1_000_000
	s := newScale(t, 16, 1)
	b := newBins(s, new(big.Rat), 8, 8*minExpected)
	k := len(b.probability)
	var both [2][]int
	draw(t, s, 0, 0, n, func(block []int64) {
		for _, y := range block {
			both[0] = append(both[0], b.find(y))
		}
	})
	draw(t, s, 0, 0, n, func(block []int64) {
		for _, y := range block {
			both[1] = append(both[1], b.find(y))
		}
	})
	probability := make([]float64, 0, k*k)
	for _, p := range b.probability {
		for _, q := range b.probability {
			probability = append(probability, p*q)
		}
	}
	successive, parallel := make([]int, k*k), make([]int, k*k)
	for i, x := range both[0] {
		parallel[x*k+both[1][i]]++
		if i%2 == 1 {
			successive[both[0][i-1]*k+x]++
		}
	}
	check(t, "successive samples", successive, probability)
	check(t, "two sources", parallel, probability)
}

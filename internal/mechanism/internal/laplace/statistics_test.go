package laplace

import (
	"math"
	"os"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/dprelease/dprelease/internal/owntest"
)

// alarm is the false-alarm probability of one statistical test. The tests draw real randomness. There are fewer than 32
// tests, and minExpected bounds how much more often one fails than this. So all tests together raise a false alarm with
// a probability below 1e-9.
const alarm = 1e-9 / 128

// minExpected is the smallest number of samples that a bin must expect. The tail of the chi-square assumes normal
// counts. If a test has two or three bins, a count of 500 expected samples exceeds its share of the tail 11 times as
// often.
const minExpected = 500

func samples() int {
	switch {
	case os.Getenv("DPRELEASE_LONG") == "1":
		return 50_000_000
	case testing.Short() || !owntest.Checking():
		return 400_000
	}
	return 1_000_000
}

// draw adds noise to n copies of cell.
func draw(tb testing.TB, s adder, cell int64, n int) []int64 {
	tb.Helper()
	cells := make([]int64, n)
	for i := range cells {
		cells[i] = cell
	}
	if err := s.Add(cells); err != nil {
		tb.Fatal(err)
	}
	return cells
}

// bins counts y by the edges: bin i is from edges[i−1] up to edges[i]−1. below(edge) is P(y < edge).
type bins struct {
	edges       []int64
	probability []float64
}

func newBins(base, width int64, n int, below func(edge int64) float64) bins {
	var b bins
	last, need := 0.0, minExpected/float64(n)
	for e := base - 500*width; e <= base+500*width; e += width {
		if p := below(e); p-last >= need && 1-p >= need {
			b.edges = append(b.edges, e)
			b.probability = append(b.probability, p-last)
			last = p
		}
	}
	b.probability = append(b.probability, 1-last)
	return b
}

// fit returns the p-value of Pearson's chi-square.
func (b bins) fit(ys []int64) float64 {
	counts := make([]float64, len(b.probability))
	for _, y := range ys {
		counts[sort.Search(len(b.edges), func(i int) bool { return y < b.edges[i] })]++
	}
	chi := 0.0
	for i, c := range counts {
		want := float64(len(ys)) * b.probability[i]
		chi += (c - want) * (c - want) / want
	}
	return mathext.GammaIncRegComp(float64(len(counts)-1)/2, chi/2)
}

// laplaceBelow returns P(L < z).
func laplaceBelow(z float64) float64 {
	if z < 0 {
		return math.Exp(z) / 2
	}
	return 1 - math.Exp(-z)/2
}

func TestChiSquareLaplace(t *testing.T) {
	for _, c := range []struct {
		b    float64
		lift int
		cell int64
	}{
		{math.Ldexp(1, -7), -8, 127}, {0.3, 0, 7}, {0.3, -1, 1}, {1, 0, -5}, {1, -4, 9}, {2.5, 2, 3}, {10, -20, 1<<40 +
			12345},
		{100, -2, -7}, {1 << 20, 0, 0}, {1 << 40, -1, 1}, {1<<52 - 1, 0, 0},
	} {
		x := math.Ldexp(float64(c.cell), c.lift)
		base := int64(math.Floor(x))
		b := newBins(base, max(1, int64(c.b/4)), samples(), func(edge int64) float64 {
			return laplaceBelow((float64(edge-base) - (x - float64(base)) - 0.5) / c.b)
		})
		p := b.fit(draw(t, newSampler(t, c.b, c.lift, newBits(t)), c.cell, samples()))
		if len(b.edges) == 0 || p < alarm {
			t.Errorf("%+v: %d bins, p = %.3g", c, len(b.probability), p)
		}
	}
}

// geometricBelow returns P(K < k): with q = e^(−1/S), P(K <= −m) = q^m/(1 + q).
func geometricBelow(k int64, scale float64) float64 {
	q := math.Exp(-1 / scale)
	if k <= 0 {
		return math.Exp(float64(k-1)/scale) / (1 + q)
	}
	return 1 - math.Exp(-float64(k)/scale)/(1+q)
}

func TestChiSquareGeometric(t *testing.T) {
	for _, c := range []struct {
		b    float64
		lift int
		cell int64
	}{{0.15, 0, 3}, {0.3, 0, 0}, {1, 0, -5}, {1.0 / 3, 3, 2}, {2.5, 0, 1 << 60}, {10, 0, 7}, {1000, 0, 0}, {1 << 40, 0,
		-1}, {1<<52 - 1, 0, 0}} {
		base := c.cell << c.lift
		b := newBins(base, max(1, int64(c.b/4)), samples(), func(edge int64) float64 {
			return geometricBelow(edge-base,
				c.b)
		})
		p := b.fit(draw(t, newGeometric(t, c.b, c.lift, newBits(t)), c.cell, samples()))
		if len(b.edges) == 0 || p < alarm {
			t.Errorf("%+v: %d bins, p = %.3g", c, len(b.probability), p)
		}
	}
}

// The chi-square test rejects a scale that is 5 % wrong, a missing fraction of 2.5 % of the scale, and 5 % more zeros.
// Its noncentrality is above 500, more than 8 of its standard deviations above the acceptance limit. It misses with
// probability below 1e-15.
func TestPower(t *testing.T) {
	const n = 1_000_000
	right := newBins(0, 2, n, func(edge int64) float64 { return laplaceBelow((float64(edge) - 0.5) / 10) })
	for what, ys := range map[string][]int64{
		"S = 10.5":  draw(t, newSampler(t, 10.5, 0, newBits(t)), 0, n),
		"S = 9.5":   draw(t, newSampler(t, 9.5, 0, newBits(t)), 0, n),
		"x = 1/4":   draw(t, newSampler(t, 10, -2, newBits(t)), 1, n),
		"geometric": draw(t, newGeometric(t, 10, 0, newBits(t)), 1, n),
	} {
		if p := right.fit(ys); p > alarm {
			t.Errorf("%s is not told from Laplace noise of S = 10, p = %.3g", what, p)
		}
	}
	discrete := newBins(0, 1, n, func(edge int64) float64 { return geometricBelow(edge, 1) })
	twice := draw(t, newGeometric(t, 1, 0, newBits(t)), 0, n)
	for i := range twice {
		if twice[i] == 1 && i%20 == 0 {
			twice[i] = 0
		}
	}
	if p := discrete.fit(twice); p > alarm {
		t.Errorf("too many zeros are not seen, p = %.3g", p)
	}
}

// TestIndependence tallies the signs and sizes of successive samples.
func TestIndependence(t *testing.T) {
	for name, s := range map[string]adder{"laplace": newSampler(t, 16, 0, newBits(t)),
		"geometric": newGeometric(t, 16, 0, newBits(t))} {
		ys := draw(t, s, 0, samples())
		var counts [6][6]float64
		for i := 0; i+1 < len(ys); i += 2 {
			counts[class(ys[i])][class(ys[i+1])]++
		}
		if p := independent(counts); p < alarm {
			t.Errorf("%s: successive samples depend on each other, p = %.3g", name, p)
		}
	}
}

func class(y int64) int {
	size := 0
	if y < -8 || y > 8 {
		size++
	}
	if y < -24 || y > 24 {
		size++
	}
	if y < 0 {
		size += 3
	}
	return size
}

// independent returns the p-value of the chi-square of independence.
func independent(counts [6][6]float64) float64 {
	var row, column [6]float64
	n := 0.0
	for i := range counts {
		for j, c := range counts[i] {
			row[i] += c
			column[j] += c
			n += c
		}
	}
	chi := 0.0
	for i := range counts {
		for j, c := range counts[i] {
			want := row[i] * column[j] / n
			chi += (c - want) * (c - want) / want
		}
	}
	return mathext.GammaIncRegComp(25.0/2, chi/2)
}

package selftest

import "math"

// minExpected is the smallest expected number of samples in a bin. A check's threshold is a quantile of the
// chi-square distribution, which assumes normal counts. With few bins, binomial counts that expect 2000 exceed the
// threshold less than 4 times as often as that quantile allows; the checks' alarm levels make up for this.
const minExpected = 2000

// noise is the distribution of a noisy number that is tested: floor(x + S·Z + 1/2) with x = base + part, 0 <= part < 1.
// If tail is 0, Z is normal. Otherwise Z is symmetric and P(Z < z) = tail·e^z for z < 0.
type noise struct {
	base  int64
	part  float64
	scale float64 // S, in grid units
	tail  float64
}

// lowerTail returns P(Z < z).
func (d noise) lowerTail(z float64) float64 {
	switch {
	case d.tail == 0:
		return normal(z)
	case z < 0:
		return d.tail * math.Exp(z)
	default:
		return 1 - d.tail*math.Exp(-z)
	}
}

// probabilityBetween returns P(a <= Z < b) for a <= b, computed from lower tails, whose difference is accurate.
func (d noise) probabilityBetween(a, b float64) float64 {
	if a > 0 {
		a, b = -b, -a
	}
	return d.lowerTail(b) - d.lowerTail(a)
}

// probabilityBelow returns P(y < edge) for a noisy number y.
func (d noise) probabilityBelow(edge int64) float64 { return d.lowerTail(d.z(edge)) }

// z converts a limit for noisy numbers y to a limit for the noise Z in units of its scale: y < edge if and only if Z <
// z(edge).
func (d noise) z(edge int64) float64 { return (float64(edge-d.base) - d.part - 0.5) / d.scale }

// bins divides the integers: bin i holds the integers from first + (i−1)·width on; the first and the last bin are
// open-ended.
type bins struct {
	first, width int64
	probability  []float64
}

// newBins returns bins for n samples of d. Each bin expects at least minExpected samples.
func newBins(d noise, n int) bins {
	width := max(1, int64(d.scale/8))
	need := minExpected / float64(n)
	steps := int64(7*d.scale)/width + 1
	var b bins
	var last int64
	for i := -steps; i <= steps; i++ {
		edge := d.base + i*width
		switch above := d.lowerTail(-d.z(edge)); {
		case above < need: // with this width, the bin would expect too few samples
		case len(b.probability) > 0:
			b.probability = append(b.probability, d.probabilityBetween(d.z(last), d.z(edge)))
			last = edge
		case d.probabilityBelow(edge) >= need:
			b = bins{edge, width, []float64{d.probabilityBelow(edge)}}
			last = edge
		}
	}
	b.probability = append(b.probability, d.lowerTail(-d.z(last)))
	return b
}

// find returns the bin of y.
func (b bins) find(y int64) int {
	last := len(b.probability) - 1
	if y < b.first {
		return 0
	}
	// The subtraction is unsigned, because the difference may exceed int64.
	if i := (uint64(y) - uint64(b.first)) / uint64(b.width); i < uint64(last) {
		return int(i) + 1
	}
	return last
}

// pairs returns the probabilities of pairs of bins for two independent samples: item i·len + j is for bin i of the
// first and bin j of the second.
func (b bins) pairs() []float64 {
	out := make([]float64, 0, len(b.probability)*len(b.probability))
	for _, p := range b.probability {
		for _, q := range b.probability {
			out = append(out, p*q)
		}
	}
	return out
}

// chiSquare is Pearson's test of counts against the probabilities of their bins.
func chiSquare(name string, counts []int, probability []float64) Check {
	n := total(counts)
	var chi float64
	for i, c := range counts {
		want := float64(n) * probability[i]
		chi += (float64(c) - want) * (float64(c) - want) / want
	}
	return Check{
		Name: name, Measure: "chi-square", Samples: n, Statistic: chi, Threshold: chiSquareThreshold(len(counts)-1,
			alarm/maxChecks),
	}.judged()
}

// homogeneous tests with a chi-square whether two samples, counted by bin, have the same distribution.
func homogeneous(name string, x, y []int) Check {
	n, m := float64(total(x)), float64(total(y))
	var chi float64
	freedom := -1
	for i := range x {
		both := float64(x[i] + y[i])
		if both == 0 {
			continue
		}
		freedom++
		d := math.Sqrt(m/n)*float64(x[i]) - math.Sqrt(n/m)*float64(y[i])
		chi += d * d / both
	}
	return Check{
		Name: name, Measure: "chi-square", Samples: total(x) + total(y), Statistic: chi,
		Threshold: chiSquareThreshold(max(1, freedom), alarm/maxChecks),
	}.judged()
}

func total(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

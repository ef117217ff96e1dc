package denoise

import (
	"math"
	"slices"
)

// This file estimates means under the prior that makes the noisy values most likely: the nonparametric maximum
// likelihood. The prior is a set of weights on support points, lattice points near the values (mixture.go). Each value
// has a likelihood at the few support points near it (band.go). An interior point method finds the weights that make
// all values most likely (fitweights.go). Its matrices are banded (skyline.go).

const (
	// pointsPerDeviation is the number of support points per standard deviation of the noise. supportMargin is the number
	// of support points on either side of each value. (A uniform grid over the range of all values is not enough: if some
	// values are huge, it is too coarse for the small values.)
	pointsPerDeviation = 4
	supportMargin      = 3
	// If there are more than exactCells values, the prior is fitted to rounded values: multiples of 1/roundedPerDeviation
	// of a standard deviation. Rounding adds 1e-4 of the noise's variance. The posterior means are always computed from
	// the values that are not rounded.
	exactCells          = 1 << 10
	roundedPerDeviation = 32
)

// posteriorMeans returns the posterior means of the values y, with noise of standard deviation s > 0, under the prior
// that makes y most likely. If nonnegative is set, the prior has no support point below 0.
func posteriorMeans(y []float64, s float64, nonnegative bool) []float64 {
	points := supportPoints(y, s, nonnegative)
	values, counts := rounded(y, s)
	return mixture{points: points, s: s, weights: fitWeights(kernel(values, counts, points, s))}.posterior(y)
}

// supportPoints returns the lattice points near values of y, sorted.
func supportPoints(y []float64, s float64, nonnegative bool) []float64 {
	width := s / pointsPerDeviation
	occupied := map[float64]bool{}
	for _, v := range y {
		occupied[math.RoundToEven(v/width)] = true
	}
	seen := map[float64]bool{}
	for cell := range occupied {
		for shift := -supportMargin; shift <= supportMargin; shift++ {
			at := cell + float64(shift)
			if nonnegative {
				at = max(at, 0)
			}
			seen[at*width] = true
		}
	}
	points := make([]float64, 0, len(seen))
	for at := range seen {
		points = append(points, at+0) // +0 turns -0 into 0
	}
	slices.Sort(points)
	return slices.Compact(points)
}

// rounded returns the values to which the prior is fitted, sorted, and how often each of them occurs.
func rounded(y []float64, s float64) (values, counts []float64) {
	values = slices.Clone(y)
	if width := s / roundedPerDeviation; len(y) > exactCells {
		for i, v := range values {
			values[i] = width * math.RoundToEven(v/width)
		}
	}
	slices.Sort(values)
	for _, v := range values {
		counts = append(counts, 1)
		if last := len(counts) - 2; last >= 0 && values[last] == v {
			counts = counts[:last+1]
			counts[last]++
			continue
		}
		values[len(counts)-1] = v
	}
	return values[:len(counts)], counts
}

// mixture is a fitted prior: weights on sorted support points. s is the standard deviation of the noise of values.
type mixture struct {
	points, weights []float64
	s               float64
}

// posterior returns the posterior means of the values.
func (m mixture) posterior(y []float64) []float64 {
	means := make([]float64, len(y))
	b := newBand(m.points, m.s)
	for i, v := range y {
		means[i] = m.mean(b.findRow(v))
	}
	return means
}

// mean returns the posterior mean of the value that row r is for.
func (m mixture) mean(r row) float64 {
	var total, first float64
	nearest := m.points[r.nearest]
	for j, likelihood := range r.likelihoods {
		p := m.weights[r.first+j] * likelihood
		d := m.points[r.first+j] - nearest
		total += p
		first += float64(p * d)
	}
	if !(total > 0) {
		return nearest
	}
	return nearest + first/total
}

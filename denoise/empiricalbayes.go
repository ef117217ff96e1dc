package denoise

import (
	"math"
	"slices"
)

const (
	// signSeed is public. Any other number would do as well.
	signSeed = 0x7369_676e
	// cellsPerDeviation is the number of support points per standard deviation. supportMargin of them are on either
	// side of each value. A uniform grid fails on heavy tails: it is too coarse where the small values are.
	cellsPerDeviation = 4
	supportMargin     = 3
	// If there are more than exactCells values, the mixture is fitted to values rounded to 1/roundedPerDeviation of a
	// standard deviation, which adds 1e-4 of the noise's variance. The posterior means are always those of the values
	// themselves.
	exactCells          = 1 << 10
	roundedPerDeviation = 32
)

// EmpiricalBayes returns the posterior means under the prior that makes y most likely among all distributions: the
// nonparametric maximum likelihood of Kiefer & Wolfowitz, for tables whose cells have no order. The support of the
// prior is the points k·s/4 near a value of y. If nonnegative is set, only points of at least 0 are used, so that no
// estimate is negative.
//
// DF is found by trying nearby values with public random signs (Ramani, Blu & Unser 2008). The posterior variances
// alone, Σ Var_i/s², omit that the prior follows the values, which is most of DF if values are far apart or dense.
//
// y and the result have d values in one unit, s > 0 is the standard deviation of their noise; y is not changed. O(d·log
// d) and a small banded problem that does not grow with d.
//
// Source: Kiefer & Wolfowitz, Annals of Mathematical Statistics 27, 1956; Jiang & Zhang, Annals of Statistics 37, 2009
// (near-optimality); Koenker & Mizera, JASA 109, 2014 (as a convex problem).
func EmpiricalBayes(y []float64, s float64, nonnegative bool) Fit {
	return fitScaled(y, s, func(v scaled) Fit {
		f := Fit{X: posteriorMeans(v.y, v.s, nonnegative)}
		f.DF = divergence(v, func(y []float64) []float64 { return posteriorMeans(y, v.s, nonnegative) })
		return f
	})
}

// divergence estimates the degrees of freedom by trying y + u ± s/32 with public random signs, more often if there are
// few values. The shifts u, up to half the distance of two support points, are random too: otherwise an estimate that
// moves by whole points would seem not to move.
func divergence(v scaled, estimate func([]float64) []float64) (df float64) {
	r, step := public{state: signSeed}, v.s/32
	tries := max(1, min(512/len(v.y), 32))
	down, up := make([]float64, len(v.y)), make([]float64, len(v.y))
	for range tries {
		for i, y := range v.y {
			from := y + (r.unit()-0.5)*v.s/cellsPerDeviation
			if r.unit() <= 0.5 {
				step = -step
			}
			down[i], up[i] = from-step, from+step
		}
		before, after := estimate(down), estimate(up)
		for i := range v.y {
			df += (after[i] - before[i]) / (v.s / 16) * math.Copysign(1, up[i]-down[i])
		}
	}
	return df / float64(tries)
}

func posteriorMeans(y []float64, s float64, nonnegative bool) []float64 {
	points := supportPoints(y, s, nonnegative)
	values, counts := rounded(y, s)
	m := mixture{points: points, s: s, weights: likeliest(kernel(values, counts, points, s))}
	return m.posterior(y).X
}

// supportPoints returns the sorted lattice points near values of y.
func supportPoints(y []float64, s float64, nonnegative bool) []float64 {
	width := s / cellsPerDeviation
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
		points = append(points, at+0) // turns -0 into 0
	}
	slices.Sort(points)
	return slices.Compact(points)
}

// rounded returns the values to which the mixture is fitted, sorted, and how often each occurs.
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

// mixture is a fitted prior: weights on sorted points. Values have noise of standard deviation s.
type mixture struct {
	points, weights []float64
	s               float64
}

// posterior returns the posterior means of the values, and Σ Var/s² as DF.
func (m mixture) posterior(y []float64) Fit {
	f := Fit{X: make([]float64, len(y))}
	b := newBand(m.points, m.s)
	for i, v := range y {
		var variance float64
		f.X[i], variance = m.moments(b.around(v))
		f.DF += variance / (m.s * m.s)
	}
	return f
}

// moments returns the posterior mean and variance of a value from the points of its band.
func (m mixture) moments(r row) (mean, variance float64) {
	var total, first, second float64
	nearest := m.points[r.nearest]
	for j, likelihood := range r.likelihoods {
		p := m.weights[r.first+j] * likelihood
		d := m.points[r.first+j] - nearest
		total += p
		first += float64(p * d)
		second += float64(p * d * d)
	}
	if !(total > 0) {
		return nearest, 0
	}
	shift := first / total
	return nearest + shift, max(second/total-shift*shift, 0)
}

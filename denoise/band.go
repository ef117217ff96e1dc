package denoise

import (
	"math"
	"slices"
)

// A support point counts for a value if its distance from the value exceeds the distance of the nearest support point
// by at most cutoff standard deviations. The likelihood of any other point is at most e^(−24.5) times the likelihood of
// the nearest point.
const cutoff = 7

// row holds the likelihoods of one noisy value under the support points near it. likelihoods[j] is the likelihood at
// support point first+j, divided by the likelihood at the nearest support point.
type row struct {
	first       int // index of the support point of likelihoods[0]
	nearest     int
	likelihoods []float64
}

// band finds the support points near a noisy value. Support points are the possible values of the true mean; see
// mixture.go.
type band struct {
	points []float64 // sorted
	s      float64
	buffer []float64
}

func newBand(points []float64, s float64) *band { return &band{points: points, s: s} }

// findRow returns the likelihoods of a noisy value. They are valid until the next call.
func (b *band) findRow(v float64) row {
	r := row{nearest: b.findNearest(v)}
	closest := (v - b.points[r.nearest]) / b.s
	r.first = r.nearest
	for r.first > 0 && b.exponent(v, r.first-1, closest) < cutoff*cutoff/2.0 {
		r.first--
	}
	b.buffer = b.buffer[:0]
	for j := r.first; j < len(b.points); j++ {
		e := b.exponent(v, j, closest)
		if j > r.nearest && e >= cutoff*cutoff/2.0 {
			break
		}
		b.buffer = append(b.buffer, math.Exp(-e))
	}
	r.likelihoods = b.buffer
	return r
}

// exponent returns (((v−p)/s)² − closest²)/2 for support point p: minus the logarithm of p's relative likelihood. No
// digits cancel in its formula.
func (b *band) exponent(v float64, point int, closest float64) float64 {
	u := (v - b.points[point]) / b.s
	return (math.Abs(u) - math.Abs(closest)) * (math.Abs(u) + math.Abs(closest)) / 2
}

func (b *band) findNearest(v float64) int {
	i, found := slices.BinarySearch(b.points, v)
	if found || i == 0 {
		return i
	}
	if i == len(b.points) || v-b.points[i-1] <= b.points[i]-v {
		return i - 1
	}
	return i
}

// likelihoods is a banded matrix A. A_ij is the likelihood of value i under support point j, except for a factor that
// is the same within a row.
type likelihoods struct {
	rows   []row
	counts []float64 // the weight of each row; the weights sum to 1
	points int
}

// kernel returns the likelihoods of sorted values under sorted support points.
func kernel(values, counts, points []float64, s float64) likelihoods {
	l := likelihoods{rows: make([]row, len(values)), counts: make([]float64, len(values)), points: len(points)}
	var total float64
	for _, c := range counts {
		total += c
	}
	b := newBand(points, s)
	for i, v := range values {
		l.rows[i] = b.findRow(v)
		l.rows[i].likelihoods = slices.Clone(l.rows[i].likelihoods)
		l.counts[i] = counts[i] / total
	}
	return l
}

// mix returns A·w: the densities of the values if the prior has the weights w.
func (l likelihoods) mix(w []float64) []float64 {
	out := make([]float64, len(l.rows))
	for i, r := range l.rows {
		for j, a := range r.likelihoods {
			out[i] += float64(a * w[r.first+j])
		}
	}
	return out
}

// gradient returns 1 − Σ_i c_i·A_ij/p_i for every support point j, with p the densities of the values and c the weights
// of the rows. At the maximum of the likelihood all of these numbers are at least 0, and they are 0 at the points with
// a positive weight.
func (l likelihoods) gradient(p []float64) []float64 {
	out := make([]float64, l.points)
	for j := range out {
		out[j] = 1
	}
	for i, r := range l.rows {
		c := l.counts[i] / p[i]
		for j, a := range r.likelihoods {
			out[r.first+j] -= float64(c * a)
		}
	}
	return out
}

// curvature adds the Hessian Σ_i c_i/p_i²·a_i·a_iᵀ to a matrix, with a_i the row i of A.
func (l likelihoods) curvature(p []float64, to *skyline) {
	for i, r := range l.rows {
		c := l.counts[i] / p[i] / p[i]
		for j, a := range r.likelihoods {
			target := to.row(r.first + j)
			offset := r.first - to.first[r.first+j]
			for k := range j + 1 {
				target[offset+k] += float64(c * a * r.likelihoods[k])
			}
		}
	}
}

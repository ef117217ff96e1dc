package kinds

import (
	"math"
)

// ratio computes a mean in [centre - half, centre + half] from two noisy numbers: s, the sum of values minus the
// centre, and n, the number of rows. sum and count are the standard deviations of their noise, which is independent and
// normal.
type ratio struct {
	Centre, Half float64
	Sum, Count   float64
	Least        float64 // estimates are divided by at least this number
	Z            float64 // the half-width of the interval in standard deviations: 1.96 for 95 %
	// tail returns Z for a given excess kurtosis, if the noise is Laplace or geometric. It is nil if the noise is normal.
	tail func(kurtosis float64) float64
}

// tailOf returns tail if the noise of a component is not normal, otherwise nil.
func tailOf(tail func(kurtosis float64) float64, noisy ...noisyVector) func(float64) float64 {
	for _, n := range noisy {
		if !n.own.Normal() {
			return tail
		}
	}
	return nil
}

// mean returns centre + s/n, limited to the range, or NaN if n is not positive.
func (r ratio) mean(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return r.Centre + r.clip(s/n)
}

// estimate returns the mean from estimates of the sum and the count. It divides by at least Least. If n is not
// positive, it is NaN.
func (r ratio) estimate(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return r.Centre + r.clip(s/max(n, r.Least))
}

func (r ratio) clip(x float64) float64 { return min(max(x, -r.Half), r.Half) }

// sigma returns the standard deviation of the mean by the delta method. With t, the noisy mean minus the centre, it is
//
//	sqrt(sum² + t²·count²)/n.
//
// It is NaN if n is not positive. If n is not many times the standard deviation of the count, use interval instead.
func (r ratio) sigma(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return math.Hypot(r.Sum, r.clip(s/n)*r.Count) / n
}

// interval returns Fieller's (1954) interval of the mean, within the range. For z = 1.96 it is the 95 % interval. Let t
// be the true mean minus the centre. Then s − t·n is normal with mean 0 and variance sum² + t²·count², whatever the
// number of rows. So the set of all t with
//
//	(s − t·n)² <= z²·(sum² + t²·count²)
//
// contains the true t with a probability of exactly 95 %. It is an interval if n > z·count:
//
//	(s·n ∓ z·sqrt(sum²·a + s²·count²))/a,  a = n² − z²·count²
//
// If n is smaller, the set is unbounded, and the interval is the whole range. The ends are limited to the range, which
// contains the true mean.
//
// If the noise is not normal, z depends on t, because t determines how much of the noise of s − t·n comes from the
// count. The loop starts with the largest z and computes each end again with the z of this end. After five rounds the
// ends no longer change.
func (r ratio) interval(s, n float64) (low, high float64) {
	if r.tail == nil {
		return r.fieller(s, n)
	}
	const maxKurtosis, rounds = 3, 5
	r.Z = r.tail(maxKurtosis)
	low, high = r.fieller(s, n)
	if n <= r.Z*r.Count {
		return low, high
	}
	for range rounds {
		at := r
		at.Z = r.tail(kurtosisOfTwo(r.Sum, (low-r.Centre)*r.Count))
		low, _ = at.fieller(s, n)
		at.Z = r.tail(kurtosisOfTwo(r.Sum, (high-r.Centre)*r.Count))
		_, high = at.fieller(s, n)
	}
	return low, high
}

// fieller returns the interval for r.Z.
func (r ratio) fieller(s, n float64) (low, high float64) {
	low, high, ok := Fieller(s, n, r.Sum*r.Sum, r.Count*r.Count, 0, r.Z)
	if !ok || n <= 0 {
		return r.Centre - r.Half, r.Centre + r.Half
	}
	return r.Centre + r.clip(outwards(low, -1)), r.Centre + r.clip(outwards(high, 1))
}

// Fieller returns the ends of Fieller's (1954) interval of a quotient n/d. n and d are noisy numbers; their noise has
// the variances vn and vd and the covariance c. The interval contains all r for which n − r·d is within z of its
// standard deviations of 0. These r are between the roots of a·r² − 2·b·r + n² − z²·vn, with a = d² − z²·vd and b = n·d
// − z²·c. The discriminant is computed without subtracting two large numbers: b² − a·(n² − z²·vn) = z²·(vn·a + n²·vd −
// 2·n·d·c + z²·c²). ok is false if the interval is unbounded, because d is within z of its standard deviations of 0, or
// if an end is not a number.
func Fieller(n, d, vn, vd, c, z float64) (low, high float64, ok bool) {
	a := d*d - z*z*vd
	if !(a > 0) {
		return math.NaN(), math.NaN(), false
	}
	b := n*d - z*z*c
	root := z * math.Sqrt(max(vn*a+n*n*vd-2*n*d*c+z*z*c*c, 0))
	low, high = (b-root)/a, (b+root)/a
	if math.IsNaN(low) || math.IsInf(low, 0) || math.IsNaN(high) || math.IsInf(high, 0) {
		return math.NaN(), math.NaN(), false
	}
	return low, high, true
}

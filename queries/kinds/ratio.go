package kinds

import (
	"math"
)

// ratio makes a mean in [centre - half, centre + half] of s, a noisy sum of differences from the centre, and n, a noisy
// number of rows. Their noise is independent and normal with these standard deviations.
type ratio struct {
	Centre, Half float64
	Sum, Count   float64
	Least        float64 // the least number by which an estimate is divided
	Z            float64 // the half-width of the interval in standard deviations: 1.96 for 95 %
	// tail is Z for an excess kurtosis, if the noise is not normal but Laplace or geometric; else nil.
	tail func(kurtosis float64) float64
}

// tailOf returns a tail if the noise of a component is not normal, else nil.
func tailOf(tail func(kurtosis float64) float64, noisy ...noisyVector) func(float64) float64 {
	for _, n := range noisy {
		if !n.own.Normal() {
			return tail
		}
	}
	return nil
}

// mean is centre + s/n, moved into the range; NaN if n is not positive.
func (r ratio) mean(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return r.Centre + r.clip(s/n)
}

// estimate returns the mean of estimates of the sum and the count, which is at least Least; NaN if n is not positive,
// as mean is: there is nothing to estimate from.
func (r ratio) estimate(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return r.Centre + r.clip(s/max(n, r.Least))
}

func (r ratio) clip(x float64) float64 { return min(max(x, -r.Half), r.Half) }

// sigma returns the standard deviation of the mean by the delta method, at the noisy values: with t the noisy mean less
// the centre,
//
//	sqrt(sum² + t²·count²)/n.
//
// NaN if n is not positive. If n is not many times the deviation of the count, use interval instead.
func (r ratio) sigma(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return math.Hypot(r.Sum, r.clip(s/n)*r.Count) / n
}

// interval is Fieller's (1954) interval of the mean, for z of 1.96 of 95 %, within the range. For the true mean t (less
// the centre), s − t·n is normal with mean 0 and variance sum² + t²·count², whatever the number of rows, so the set of
// all t with
//
//	(s − t·n)² <= z²·(sum² + t²·count²)
//
// holds the true one with a probability of exactly 95 %. It is an interval if n > z·count:
//
//	(s·n ∓ z·sqrt(sum²·a + s²·count²))/a,  a = n² − z²·count²
//
// If n is smaller, the set is unbounded, and the interval is the whole range. The interval's ends are moved into the
// range, which holds the true mean.
//
// If the noise is not normal, the quantile z of s − t·n depends on t, through the count's share of that noise. The loop
// starts with the largest z and computes each end again with the z of the previous end; after five rounds the ends
// change no further.
func (r ratio) interval(s, n float64) (low, high float64) {
	if r.tail == nil {
		return r.fieller(s, n)
	}
	const mostKurtosis, rounds = 3, 5
	r.Z = r.tail(mostKurtosis)
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

// Fieller returns the ends of Fieller's (1954) interval of a quotient: all r for which n − r·d is within z of its
// standard deviations of 0, for noisy n and d whose noise has the variances vn and vd and the covariance c. These r lie
// between the roots of a·r² − 2·b·r + n² − z²·vn with a = d² − z²·vd and b = n·d − z²·c. The discriminant is written so
// that no two large numbers are subtracted: b² − a·(n² − z²·vn) = z²·(vn·a + n²·vd − 2·n·d·c + z²·c²). ok is false if
// these r are not bounded, since d does not differ from 0 by more than z of its deviations, or if an end is not a
// number.
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

package queries

import "math"

// ratio makes a mean in [centre - half, centre + half] of s, a noisy sum of differences from the centre, and n, a noisy
// number of rows, of which the noise is independent and normal with these standard deviations.
type ratio struct {
	centre, half float64
	sum, count   float64
	z            float64 // of the interval: 1.96 for 95 %
}

// mean is centre + s/n, moved into the range; NaN if n is not positive.
func (r ratio) mean(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return r.centre + r.clip(s/n)
}

// estimate is the mean of estimates of the sum and the count, of at least one row; NaN if n is not positive, as mean is: there is nothing to
// estimate from.
func (r ratio) estimate(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return r.centre + r.clip(s/max(n, 1))
}

func (r ratio) clip(x float64) float64 { return min(max(x, -r.half), r.half) }

// sigma is the standard deviation of the mean by the delta method, at the noisy values: with t the noisy mean less the centre,
//
//	sqrt(sum² + t²·count²)/n.
//
// NaN if n is not positive. If n is not many times count it says little: see interval.
func (r ratio) sigma(s, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return math.Hypot(r.sum, r.clip(s/n)*r.count) / n
}

// interval is Fieller's (1954) interval of the mean, for z of 1.96 of 95 %, within the range. For the true mean t (less the centre), s − t·n is normal
// with mean 0 and variance sum² + t²·count², whatever the number of rows, so the set of all t with
//
//	(s − t·n)² <= z²·(sum² + t²·count²)
//
// holds the true one with a probability of exactly 95 %. It is an interval if n > z·count:
//
//	(s·n ∓ z·sqrt(sum²·a + s²·count²))/a,  a = n² − z²·count²
//
// Else the count does not differ from 0 by enough, the set is unbounded, and the interval is the whole range. Its min and max are
// moved into the range, which holds the true mean.
func (r ratio) interval(s, n float64) (low, high float64) {
	zc := r.z * r.count
	a := (n - zc) * (n + zc)
	if n <= zc || a <= 0 {
		return r.centre - r.half, r.centre + r.half
	}
	root := r.z * math.Sqrt(r.sum*r.sum*a+s*s*r.count*r.count)
	low, high = (s*n-root)/a, (s*n+root)/a
	return r.centre + r.clip(outwards(low, -1)), r.centre + r.clip(outwards(high, 1))
}

// outwards moves x by a few units of its last place.
func outwards(x, direction float64) float64 { return x + direction*math.Abs(x)*0x1p-50 }

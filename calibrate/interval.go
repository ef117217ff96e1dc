package calibrate

import (
	"math"
)

// HalfWidth returns half the width of the 95 % interval of a released number, in the query's unit. For Gaussian noise
// it is Z95 standard deviations. For geometric noise it is the smallest multiple of the grid that |noise| exceeds with
// a probability of at most 5 %. (If the noise has few likely values, this probability is clearly below 5 %.) For
// Laplace noise it is Scale·ln(20), plus a little for the rounding.
func (m Mechanism) HalfWidth() float64 {
	switch {
	case m.Noise == Gaussian:
		return Z95 * m.Deviation()
	case m.Noise == LaplaceNoise || m.Grid == 0:
		return math.Nextafter(halfLaplace*m.Deviation(), math.Inf(1))
	}
	return m.halfSteps() * m.Grid
}

// halfSteps returns HalfWidth of geometric noise, in multiples of the grid.
func (m Mechanism) halfSteps() float64 {
	s := m.Scale / m.Grid
	// |noise| is above k steps with the probability P(|K| > k) = 2q^(k+1)/(1+q)
	return max(math.Ceil(s*math.Log(40/(1+math.Exp(-1/s)))*(1+1e-14)-1), 0)
}

// Coverage returns the probability that the interval of HalfWidth contains the exact answer. It is 0.95, except for
// geometric noise: 1 - 2q^(k+1)/(1+q), with q = e^(-Grid/Scale) and HalfWidth = k·Grid. For a count at epsilon 1 this
// is 0.9732.
func (m Mechanism) Coverage() float64 {
	if m.Noise != Geometric || m.Grid == 0 {
		return 0.95
	}
	q := math.Exp(-m.Grid / m.Scale)
	return 1 - 2*math.Pow(q, m.halfSteps()+1)/(1+q)
}

// halfLaplace is ln(20)/sqrt(2) = 2.11830…: half the width of the 95 % interval of a Laplace variable, in standard
// deviations.
const halfLaplace = 0x1.0f248a2e49f75p+1

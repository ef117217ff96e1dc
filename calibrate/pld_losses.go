package calibrate

import "math"

// gaussianLoss is the loss of a Gaussian mechanism of this mu: normal, with mean mu²/2 and standard deviation mu.
type gaussianLoss float64

// tail is 1 - Phi(x), x = l/mu - mu/2, with x lowered by more than its roundings.
func (mu gaussianLoss) tail(l float64) float64 {
	m := float64(mu)
	x := l/m - m/2
	x -= (math.Abs(l)/m + m) * 0x1p-50
	switch {
	case x > 39:
		return math.SmallestNonzeroFloat64
	case x < -39:
		return 1
	case x < 0:
		return math.Min(1, raise(1-upperTail(-x)*(1-0x1p-50), 2))
	}
	return upperTail(x)
}

// upperTail is 1 - Phi(x) for 0 <= x <= 39, rounded up.
func upperTail(x float64) float64 {
	t := phi(dd{x, 0})
	return wide{t.m.mul(mills(dd{x, 0})), t.e}.normal().widen(slack).roundUp()
}

func (mu gaussianLoss) ends(tiny float64) (low, high float64) {
	m := float64(mu)
	z := roughQuantile(tiny) + 1e-2
	return m * (m/2 - z), m * (m/2 + z)
}

// laplaceLoss is the loss of a Laplace mechanism with this largest loss, rounded up: 1 - e^(-(most-l)/2)/2 in tail.
type laplaceLoss float64

func (most laplaceLoss) tail(l float64) float64 {
	m := float64(most)
	switch {
	case l >= m:
		return 0
	case l < -m*(1-0x1p-50):
		return 1
	}
	return math.Min(1, raise(0.5-math.Expm1(-(m-l)/2)/2, 8))
}

func (most laplaceLoss) ends(float64) (low, high float64) { return -float64(most), float64(most) }

// geometricLoss is the loss of a geometric mechanism: (L1-2z)/Scale between its ends.
type geometricLoss struct {
	Geometric
	most float64 // L1/Scale, rounded up
}

// tail is Pr[Z <= m] = 1 - q^(m+1)/(1+q) with m the largest integer with (L1-2m)/Scale > l, or, if that is close, one more.
// t·e^-t < 1/2 bounds what the rounding of an exponent t does, so that 1 - rest, at least 1/2, is within 2^-51.
func (g geometricLoss) tail(l float64) float64 {
	switch {
	case l >= g.most:
		return 0
	case l < -g.most*(1-0x1p-50):
		return 1
	}
	l1 := float64(g.L1)
	m := math.Floor((l1-l*g.Scale)/2 + l1*0x1p-48)
	rest := math.Exp(-(m+1)/g.Scale) / (1 + math.Exp(-1/g.Scale))
	return math.Min(1, raise(1-rest, 8))
}

func (g geometricLoss) ends(float64) (low, high float64) { return -g.most, g.most }

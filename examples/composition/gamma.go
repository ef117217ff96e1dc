package main

import "math"

// upperGamma is the regularised incomplete gamma function Q(a, x), the probability that a Gamma variable of shape a is above x:
// by its series or its continued fraction (Lentz), whichever converges. Within 1e-12 or so of itself for a up to 10⁵.
func upperGamma(a, x float64) float64 {
	if x <= 0 {
		return 1
	}
	if x < a+1 {
		return 1 - gammaSeries(a, x)
	}
	return gammaFraction(a, x)
}

// lowerGamma is P(a, x) = 1 - Q(a, x), without cancellation where it is small.
func lowerGamma(a, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x < a+1:
		return gammaSeries(a, x)
	default:
		return 1 - gammaFraction(a, x)
	}
}

// front is x^a·e^-x/Gamma(a).
func front(a, x float64) float64 {
	l, _ := math.Lgamma(a)
	return math.Exp(a*math.Log(x) - x - l)
}

func gammaSeries(a, x float64) float64 {
	term := 1 / a
	sum := term
	for n := a + 1; term > sum*1e-17; n++ {
		term *= x / n
		sum += term
	}
	return front(a, x) * sum
}

func gammaFraction(a, x float64) float64 {
	const tiny, most = 1e-300, 100000
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for i := 1.0; i < most; i++ {
		an := -i * (i - a)
		b += 2
		d = 1 / nonzero(an*d+b, tiny)
		c = nonzero(b+an/c, tiny)
		h *= d * c
		if math.Abs(d*c-1) < 1e-16 {
			break
		}
	}
	return front(a, x) * h
}

func nonzero(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}

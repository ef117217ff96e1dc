// Package special has the incomplete gamma and beta functions in float64.
package special

import "math"

// maxTerms is the maximum number of iterations of the series and fractions below. They converge within a few times the
// square root of their parameters.
const maxTerms = 1 << 20

// GammaTail returns Q(a, x) = Γ(a, x)/Γ(a), the regularized upper incomplete gamma function, for a > 0 and x >= 0 (DLMF
// 8.7.1 and 8.9.2). It is the probability that a Gamma variable of shape a is above x.
func GammaTail(a, x float64) float64 {
	switch {
	case x <= 0:
		return 1
	case x < a+1:
		return 1 - gammaScale(a, x)*gammaSeries(a, x)
	}
	return gammaScale(a, x) / gammaFraction(a, x)
}

// GammaShare returns P(a, x) = 1 − Q(a, x), the regularized lower incomplete gamma function. It is accurate also if the
// result is small.
func GammaShare(a, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x < a+1:
		return gammaScale(a, x) * gammaSeries(a, x)
	}
	return 1 - gammaScale(a, x)/gammaFraction(a, x)
}

// gammaScale returns x^a·e^-x/Γ(a).
func gammaScale(a, x float64) float64 {
	logGamma, _ := math.Lgamma(a)
	return math.Exp(a*math.Log(x) - x - logGamma)
}

// gammaFraction returns x + 1 − a + 1·(a−1)/(x + 3 − a + 2·(a−2)/(x + 5 − a + …)).
func gammaFraction(a, x float64) float64 {
	b := x + 1 - a
	return continued(b, func(n float64) (numerator, denominator float64) { return n * (a - n), b + 2*n })
}

// gammaSeries returns the sum of x^n/(a(a+1)…(a+n)).
func gammaSeries(a, x float64) float64 {
	term := 1 / a
	sum := term
	for n := 1.0; n < maxTerms && term > sum*0x1p-54; n++ {
		term *= x / (a + n)
		sum += term
	}
	return sum
}

// BetaShare returns I_x(a, b), the regularized incomplete beta function, for a, b > 0 and 0 <= x <= 1 (DLMF 8.17.22).
// The continued fraction converges fast below the mean.
func BetaShare(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - BetaShare(b, a, 1-x)
	}
	both, _ := math.Lgamma(a + b)
	one, _ := math.Lgamma(a)
	other, _ := math.Lgamma(b)
	scale := math.Exp(both - one - other + a*math.Log(x) + b*math.Log1p(-x))
	return scale / a / continued(1, func(n float64) (numerator, denominator float64) {
		m := math.Floor(n / 2)
		if n == 2*m {
			return m * (b - m) * x / ((a + n - 1) * (a + n)), 1
		}
		return -(a + m) * (a + b + m) * x / ((a + n - 1) * (a + n)), 1
	})
}

// continued returns b + c(1)/(d(1) + c(2)/(d(2) + …)), by Lentz's method (Thompson & Barnett 1986).
func continued(b float64, part func(n float64) (c, d float64)) float64 {
	const tiny = 1e-300
	away := func(x float64) float64 {
		if math.Abs(x) < tiny {
			return tiny
		}
		return x
	}
	value := away(b)
	up, down := value, 0.0
	for n := 1.0; n < maxTerms; n++ {
		c, d := part(n)
		down = 1 / away(d+c*down)
		up = away(d + c/up)
		value *= up * down
		if math.Abs(up*down-1) < 0x1p-52 {
			break
		}
	}
	return value
}

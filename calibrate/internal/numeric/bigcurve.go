package numeric

import (
	"math"
	"math/big"
)

// The slow evaluation of the curve, in up to 1024 bits. It uses the formulas of the fast one: Mills' ratio by its power
// series below 26 and by its asymptotic series from 26 on, and delta as phi(x)·(R(x) - R(y)).

// asymptoticFrom is the least x for which Mills' ratio is summed by its asymptotic series.
const asymptoticFrom = 26

// MillsBits is the accuracy of BigMills in bits: its relative error is at most 2^-MillsBits.
const MillsBits = 450

// BigMills returns Mills' ratio R(x) = (1 - Phi(x))/phi(x) for 0 <= x < 2^2000, with a relative error of at most
// 2^-450.
func BigMills(x *big.Float) *big.Float { return millsWithin(x, MillsBits) }

// millsWithin returns R(x) with a relative error of at most 2^-bits, for bits up to 450.
func millsWithin(x *big.Float, bits uint) *big.Float {
	if x.Cmp(BigOf(asymptoticFrom)) >= 0 {
		return millsAsymptoticAt(x, bits+24)
	}
	half := NewBig().Mul(x, x)
	half.SetMantExp(half, -1)
	growth, _ := half.Float64()
	return millsSeriesAt(x, bits+64+uint(growth/math.Ln2))
}

// millsSeriesAt returns R(x) = sqrt(pi/2)·e^(x²/2) - sum over n >= 0 of x^(2n+1)/(2n+1)!! (Abramowitz & Stegun
// 26.2.11), computed in p bits. Its relative error is at most 2^(61-p)·e^(x²/2).
//
// Proof note, 0 <= x < 26. The terms of the sum are positive, and the sum is below sqrt(pi/2)·e^(x²/2). It has fewer
// than 2^12 terms, each with a relative error below 2^(15-p). The relative error of the exponential is below 2^(54-p).
// So the absolute error of the difference is below 2^(56-p)·e^(x²/2). R(x) > 1/27, because R falls and R(x) > x/(x²+1).
func millsSeriesAt(x *big.Float, p uint) *big.Float {
	square := newFloat(p).Mul(x, x)
	term, sum, whole := newFloat(p).Set(x), newFloat(p).Set(x), new(big.Float)
	for n := 3.0; !negligible(term, sum); n += 2 {
		term.Mul(term, square)
		term.Quo(term, whole.SetFloat64(n))
		sum.Add(sum, term)
	}
	half := square.SetMantExp(square, -1)
	growth := newFloat(p).Mul(bigSqrt2Pi(), ExpAt(half, p))
	growth.SetMantExp(growth, -1)
	return growth.Sub(growth, sum)
}

// millsAsymptoticAt returns R(x) ~ (1/x)·sum over n of (-1)^n (2n-1)!!/x^(2n) (Abramowitz & Stegun 26.2.12), computed
// in p bits. Its relative error is at most the larger of 2^(13-p) and 2^-485.
//
// Proof note, x >= 26. The partial sums are alternately above and below R, so the error of the series is below the
// first omitted term. Terms fall while 2n+1 < x², and the term of n = 338 is at most 675!!/26^676 < 2^-486 of the
// first. Each term has a relative error below 2^(12-p).
func millsAsymptoticAt(x *big.Float, p uint) *big.Float {
	square := newFloat(p).Mul(x, x)
	term, sum, whole := newFloat(p).SetInt64(1), newFloat(p).SetInt64(1), new(big.Float)
	for n := 1.0; n < 338; n++ {
		term.Mul(term, whole.SetFloat64(1-2*n))
		term.Quo(term, square)
		if negligible(term, sum) {
			break
		}
		sum.Add(sum, term)
	}
	return sum.Quo(sum, x)
}

// bigSlack is an exponent of two: the relative error of bigDelta is at most 2^bigSlack.
const bigSlack = -300

// bigDelta returns delta(epsilon) of the mu-GDP Gaussian mechanism in extended precision, for epsilon in [0, 2^21] and
// mu > 0. With x = eps/mu - mu/2, it is the value of curve's formulas if |x| <= 64, with a relative error of at most
// 2^bigSlack. If x > 64, it is an upper bound below 2^-2900; if x < -64, it is 1.
//
// Proof note, |x| <= 64. Then y < 2^12. x and y have absolute errors below 2^-1008, which change phi(x) by less than
// 2^-1001, relative. R has a relative error below 2^-450.
//   - mu >= 2^-100, x >= 0: R(x) - R(y) >= 2^-100·|R'(x)|/2 > 2^-114, since |R'(x)| = 1 - x·R(x) > 1/(x²+3). So the
//     relative error of the difference is below 2^-335.
//   - mu >= 2^-100, x < 0: 1 - delta has an error below 2^-448, and delta > 2^-103, since delta is at least its value
//     at x = 0.
//   - mu < 2^-100: c[1] + c[3]·b² omits less than b⁴·|c[1]|. |c[1]| > 2^-13, so the relative error is below 2^-400.
func bigDelta(eps, mu *big.Float) *big.Float { return DeltaWithin(eps, mu, MillsBits) }

// DeltaWithin returns delta as bigDelta does, but computes Mills' ratio and the density only with a relative error of
// 2^-bits, which is faster. If mu >= 2^-100, the relative error of delta is at most 2^(14-bits)/min(mu, 1).
//
// Proof note. If x >= 0, R(x) <= 65·|R'(x)|. R(x) - R(y) is at least |R'(x)|/33.4 if mu >= 1/32, and at least
// 0.9·mu·|R'(x)| otherwise. So the errors of R(x) and R(y) change the difference by at most 2^13·2^-bits/min(mu, 1),
// relative. If x < 0, delta is at least its value at x = 0, which is above min(mu, 1)/8.
func DeltaWithin(eps, mu *big.Float, bits uint) *big.Float {
	a := NewBig().Quo(eps, mu)
	b := NewBig().SetMantExp(mu, -1)
	x, y := NewBig().Sub(a, b), NewBig().Add(a, b)
	limit := BigOf(64)
	switch {
	case x.Cmp(limit) > 0:
		return BigPow2(-2900)
	case x.Cmp(limit.Neg(limit)) < 0:
		return BigOf(1)
	case mu.MantExp(nil) <= -100:
		return bigMidpoint(a, mu, BigPhi(x))
	case x.Sign() < 0:
		c := NewBig().Add(millsWithin(NewBig().Neg(x), bits), millsWithin(y, bits))
		return c.Sub(BigOf(1), c.Mul(c, phiWithin(x, bits)))
	}
	d := NewBig().Sub(millsWithin(x, bits), millsWithin(y, bits))
	return d.Mul(d, phiWithin(x, bits))
}

// BigPhi returns the normal density at x, for |x| <= 64.
func BigPhi(x *big.Float) *big.Float { return phiWithin(x, BigPrec-64) }

// phiWithin returns the normal density with a relative error of at most 2^-bits, for bits up to 960 and |x| <= 64.
func phiWithin(x *big.Float, bits uint) *big.Float {
	t := NewBig().Mul(x, x)
	t.SetMantExp(t, -1)
	e := ExpAt(t.Neg(t), bits+64)
	return e.Quo(e, bigSqrt2Pi())
}

// bigMidpoint returns -density·mu·(c[1] + c[3]·(mu/2)²), which approximates density·(R(a - mu/2) - R(a + mu/2)) if mu
// is tiny. c[n] is the Taylor coefficient R^(n)(a)/n!.
func bigMidpoint(a, mu, density *big.Float) *big.Float {
	c0 := BigMills(a)
	c1 := NewBig().Mul(a, c0)
	c1.Sub(c1, BigOf(1))
	c2 := NewBig().Mul(a, c1)
	c2.Add(c2, c0)
	c2.SetMantExp(c2, -1)
	c3 := c2.Mul(a, c2)
	c3.Add(c3, c1)
	c3.Quo(c3, BigOf(12))
	c3.Mul(c3, NewBig().Mul(mu, mu))
	sum := c1.Add(c1, c3)
	sum.Mul(sum, mu)
	return sum.Mul(sum.Neg(sum), density)
}

// BigMeets reports whether delta(epsilon) <= delta is proven. It returns false if extended precision cannot decide.
func BigMeets(eps float64, mu *big.Float, delta float64) bool {
	v := bigDelta(BigOf(eps), mu)
	v.Add(v, NewBig().SetMantExp(v, bigSlack))
	return v.Cmp(BigOf(delta)) <= 0
}

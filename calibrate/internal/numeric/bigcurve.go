package numeric

import (
	"math"
	"math/big"
)

// The slow evaluation of the curve, in up to 1024 bits. It uses the same formulas as the fast one: Mills' ratio by its
// power series below 26 and by its asymptotic series from 26 on, and delta as phi(x)·(R(x) - R(y)).

// asymptoticFrom is the least x for which Mills' ratio is summed by its asymptotic series.
const asymptoticFrom = 26

// MillsBits is the accuracy of BigMills: its relative error is at most 2^-MillsBits.
const MillsBits = 450

// BigMills returns Mills' ratio R(x) = (1 - Phi(x))/phi(x) for 0 <= x, within 2^-450, relative; x is below 2^2000.
func BigMills(x *big.Float) *big.Float { return millsWithin(x, MillsBits) }

// millsWithin returns R(x) within 2^-bits, relative, for bits up to 450.
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
// 26.2.11), within 2^(61-p)·e^(x²/2), relative.
//
// Proof note, 0 <= x < 26. The terms are positive and their sum is below sqrt(pi/2)·e^(x²/2). It has fewer than 2^12
// terms, each within 2^(15-p), relative, and the exponential is within 2^(54-p); so the difference is within
// 2^(56-p)·e^(x²/2), and R(x) > 1/27 (R falls, and R(x) > x/(x²+1)).
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

// millsAsymptoticAt returns R(x) ~ (1/x)·sum over n of (-1)^n (2n-1)!!/x^(2n) (Abramowitz & Stegun 26.2.12), within
// 2^(13-p), but not less than 2^-485, relative.
//
// Proof note, x >= 26. The series envelops R: its error is below the first term left out. Terms fall while 2n+1 < x²,
// and the term of n = 338 is at most 675!!/26^676 < 2^-486 of the first. Each term is within 2^(12-p), relative.
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

// bigSlack is the exponent of the bound on the relative error of bigDelta.
const bigSlack = -300

// bigDelta returns delta(epsilon) of the mu-GDP Gaussian mechanism in extended precision, for epsilon in [0, 2^21] and
// mu > 0. If |x| <= 64, it is the value of curve's formulas within 2^bigSlack, relative. If x > 64, it is an upper
// bound below 2^-2900; if x < -64, it is 1.
//
// Proof note. x and y are within 2^-1008, absolute, if |x| <= 64 (then y < 2^12), which moves phi(x) by 2^-1001; R is
// within 2^-450.
//   - mu >= 2^-100, x >= 0: R(x) - R(y) >= 2^-100·|R'(x)|/2 > 2^-114 (1 - x·R > 1/(x²+3)), so it is within 2^-335.
//   - mu >= 2^-100, x < 0: 1 - delta is within 2^-448 and delta > 2^-103, since it is at least its value at x = 0.
//   - mu < 2^-100: c[1] + c[3]·b² leaves out less than b⁴·|c[1]|, and |c[1]| > 2^-13 makes it within 2^-400.
func bigDelta(eps, mu *big.Float) *big.Float { return DeltaWithin(eps, mu, MillsBits) }

// DeltaWithin returns delta as bigDelta does, but computes Mills' ratio and the density only within 2^-bits, which is
// faster. If mu >= 2^-100, its relative error is at most 2^(14-bits)/min(mu, 1).
//
// Proof note. For x >= 0 R(x) <= 65·|R'(x)|, and R(x) - R(y) is at least |R'(x)|/33.4 if mu >= 1/32, else at least
// 0.9·mu·|R'(x)|: two errors of R make at most 2^13·2^-bits/min(mu, 1). For x < 0 delta is at least its value at x = 0,
// which is above min(mu, 1)/8.
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

// BigPhi returns the normal density at x, |x| <= 64.
func BigPhi(x *big.Float) *big.Float { return phiWithin(x, BigPrec-64) }

// phiWithin returns the normal density within 2^-bits, relative, for bits up to 960 and |x| <= 64.
func phiWithin(x *big.Float, bits uint) *big.Float {
	t := NewBig().Mul(x, x)
	t.SetMantExp(t, -1)
	e := ExpAt(t.Neg(t), bits+64)
	return e.Quo(e, bigSqrt2Pi())
}

// bigMidpoint returns -density·mu·(c[1] + c[3]·(mu/2)²) with the Taylor coefficients c[n] of R at a.
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

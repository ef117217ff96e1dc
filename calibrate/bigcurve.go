package calibrate

import "math/big"

// bigSlack is the exponent of the bound on the relative error of bigDelta.
const bigSlack = -300

// bigDelta is delta(epsilon) of the mu-GDP Gaussian mechanism in extended precision, for epsilon in [0, 2^21] and mu > 0:
// the value of curve's formulas, within 2^bigSlack, relative, if |x| <= 64; beyond, an upper bound below 2^-2900 or 1.
//
// Proof note. x and y are within 2^-1008, absolute, if |x| <= 64 (then y < 2^12), which moves phi(x) by 2^-1001; R is
// within 2^-450.
//   - mu >= 2^-100, x >= 0: R(x) - R(y) >= 2^-100·|R'(x)|/2 > 2^-114 (1 - x·R > 1/(x²+3)), so it is within 2^-335.
//   - mu >= 2^-100, x < 0: 1 - delta is within 2^-448 and delta > 2^-103, since it is at least what it is at x = 0.
//   - mu < 2^-100: c[1] + c[3]·b² leaves out less than b⁴·|c[1]|, and |c[1]| > 2^-13 makes it within 2^-400.
func bigDelta(eps, mu *big.Float) *big.Float { return deltaWithin(eps, mu, millsBits) }

// deltaWithin is bigDelta with Mills' ratio and the density only within 2^-bits: within 2^(14-bits)/min(mu, 1), relative, if mu >=
// 2^-100.
//
// Proof note. For x >= 0 R(x) <= 65·|R'(x)|, and R(x) - R(y) is at least |R'(x)|/33.4 if mu >= 1/32, else at least 0.9·mu·|R'(x)|: two
// errors of R make at most 2^13·2^-bits/min(mu, 1). For x < 0 delta is at least what it is at x = 0, which is above min(mu, 1)/8.
func deltaWithin(eps, mu *big.Float, bits uint) *big.Float {
	a := newBig().Quo(eps, mu)
	b := newBig().SetMantExp(mu, -1)
	x, y := newBig().Sub(a, b), newBig().Add(a, b)
	limit := bigOf(64)
	switch {
	case x.Cmp(limit) > 0:
		return bigPow2(-2900)
	case x.Cmp(limit.Neg(limit)) < 0:
		return bigOf(1)
	case mu.MantExp(nil) <= -100:
		return bigMidpoint(a, mu, bigPhi(x))
	case x.Sign() < 0:
		c := newBig().Add(millsWithin(newBig().Neg(x), bits), millsWithin(y, bits))
		return c.Sub(bigOf(1), c.Mul(c, phiWithin(x, bits)))
	}
	d := newBig().Sub(millsWithin(x, bits), millsWithin(y, bits))
	return d.Mul(d, phiWithin(x, bits))
}

// bigPhi is the normal density.
func bigPhi(x *big.Float) *big.Float { return phiWithin(x, bigPrec-64) }

// phiWithin is the normal density within 2^-bits, relative, for bits up to 960 and |x| <= 64.
func phiWithin(x *big.Float, bits uint) *big.Float {
	t := newBig().Mul(x, x)
	t.SetMantExp(t, -1)
	e := expAt(t.Neg(t), bits+64)
	return e.Quo(e, bigSqrt2Pi())
}

// bigMidpoint is -density·mu·(c[1] + c[3]·(mu/2)²), with R's Taylor coefficients c at a.
func bigMidpoint(a, mu, density *big.Float) *big.Float {
	c0 := bigMills(a)
	c1 := newBig().Mul(a, c0)
	c1.Sub(c1, bigOf(1))
	c2 := newBig().Mul(a, c1)
	c2.Add(c2, c0)
	c2.SetMantExp(c2, -1)
	c3 := c2.Mul(a, c2)
	c3.Add(c3, c1)
	c3.Quo(c3, bigOf(12))
	c3.Mul(c3, newBig().Mul(mu, mu))
	sum := c1.Add(c1, c3)
	sum.Mul(sum, mu)
	return sum.Mul(sum.Neg(sum), density)
}

// bigMeets says whether delta(epsilon) <= delta, refusing if even the extended precision cannot tell.
func bigMeets(eps float64, mu *big.Float, delta float64) bool {
	v := bigDelta(bigOf(eps), mu)
	v.Add(v, newBig().SetMantExp(v, bigSlack))
	return v.Cmp(bigOf(delta)) <= 0
}

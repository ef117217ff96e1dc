package numeric

import (
	"math"
	"math/big"
	"sync"
)

// erf, erfc and their inverses in extended precision. An inverse starts from a double-double value and repeats Halley's
// step, whose order is three, until a step is below 2^-60, relative. The remaining relative error is below 2^-160.

// BigSqrt2 and BigSqrtPi are sqrt(2) and sqrt(pi), with a relative error below 2^-1005.
var (
	BigSqrt2  = sync.OnceValue(func() *big.Float { return NewBig().Sqrt(BigOf(2)) })
	BigSqrtPi = sync.OnceValue(func() *big.Float { return NewBig().Sqrt(bigPi()) })
)

// ErfGrownAt returns e^(x²)·erf(x) for 0 <= x <= 1, computed in p bits with a relative error below 2^(24-p). It sums
// the series 2/sqrt(pi)·sum of 2^n·x^(2n+1)/(2n+1)!!, whose terms are positive (Abramowitz & Stegun 7.1.6).
func ErfGrownAt(x *big.Float, p uint) *big.Float {
	twice := newFloat(p).Mul(x, x)
	twice.SetMantExp(twice, 1)
	sum, term, whole := newFloat(p).Set(x), newFloat(p).Set(x), new(big.Float)
	for n := 3.0; !negligible(term, sum); n += 2 {
		term.Mul(term, twice)
		term.Quo(term, whole.SetFloat64(n))
		sum.Add(sum, term)
	}
	sum.SetMantExp(sum, 1)
	return sum.Quo(sum, BigSqrtPi())
}

// BigErfcx returns erfcx(x) = e^(x²)·erfc(x) = sqrt(2/pi)·R(sqrt(2)·x) for x >= 0, with a relative error below 2^-220.
func BigErfcx(x *big.Float) *big.Float {
	r := millsWithin(NewBig().Mul(BigSqrt2(), x), ShortPrec-32)
	r.Mul(r, BigSqrt2())
	return r.Quo(r, BigSqrtPi())
}

// OneLessErfcx returns 1 - erfcx(x) for x >= 0, with a relative error below 2^-216.
//
// Proof note. For x <= 1/2 the result is e^(x²)·erf(x) - (e^(x²) - 1). Both terms have relative errors below 2^(24-p),
// and the second is at most x²·1.14 <= 0.57·x, half of the first. For x > 1/2 the result is above 0.38.
func OneLessErfcx(x *big.Float) *big.Float {
	if x.Cmp(BigOf(0.5)) > 0 {
		return NewBig().Sub(BigOf(1), BigErfcx(x))
	}
	grown := ErfGrownAt(x, ShortPrec)
	return grown.Sub(grown, BigExpm1(newFloat(ShortPrec).Mul(x, x)))
}

// settled is an exponent of two: the iteration ends after a step below 2^settled, relative. The order is three, so the
// remaining error is below 2^-160.
const settled = -60

// BigInvErfc returns the x with erfc(x) = p, for an exact p in [2^-1100, 2), with a relative error below 2^-160.
//
// Proof note, p <= 1/2. (For larger p the claim follows by symmetry, and for BigInvErf in the same way.) From a
// relative error of e, Halley's step leaves less than (4·x²+1)·e³ < 2^12·e³. The last step starts from an error below
// 2^-59, so less than 2^-165 remains. The residual, erfcx(x) - p·e^(x²), has an error below 2^-200·erfcx(x). This error
// changes x by less than 2^-199, relative, since the derivative of log erfc with respect to log x is at least 0.87 in
// absolute value.
func BigInvErfc(p *big.Float) *big.Float {
	switch {
	case p.Cmp(BigOf(0.5)) <= 0:
		return halleyErf(startInvErfc(p), func(x, growth *big.Float) *big.Float {
			return growth.Sub(BigErfcx(x), growth.Mul(growth, p))
		})
	case p.Cmp(BigOf(1.5)) >= 0:
		x := BigInvErfc(NewBig().Sub(BigOf(2), p))
		return x.Neg(x)
	}
	return BigInvErf(NewBig().Sub(BigOf(1), p))
}

// BigInvErf returns the x with erf(x) = q, for an exact q in (-1, 1) with 1 - |q| >= 2^-1000, with a relative error
// below 2^-160.
func BigInvErf(q *big.Float) *big.Float {
	switch {
	case q.Sign() == 0:
		return NewBig()
	case q.Sign() < 0:
		x := BigInvErf(NewBig().Neg(q))
		return x.Neg(x)
	case q.Cmp(BigOf(0.5)) > 0:
		return BigInvErfc(NewBig().Sub(BigOf(1), q))
	}
	return halleyErf(startInvErf(q), func(x, growth *big.Float) *big.Float {
		return growth.Sub(growth.Mul(growth, q), ErfGrownAt(x, ShortPrec))
	})
}

// halleyErf returns the positive root near start of a function f, which is erfc(x) or -erf(x) plus a constant. In both
// cases f' = -2/sqrt(pi)·e^(-x²), and the derivative of log|f'| is -2x. miss returns f(x)·e^(x²). Its argument growth
// is e^(x²), which it may overwrite.
func halleyErf(start *big.Float, miss func(x, growth *big.Float) *big.Float) *big.Float {
	x := NewBig().Set(start)
	for range MaxSteps {
		u := miss(x, ExpAt(NewBig().Mul(x, x), ShortPrec))
		u.Mul(u, BigSqrtPi()) // -2·miss/miss'
		u.SetMantExp(u, -1)
		bend := NewBig().Mul(x, u)
		step := NewBig().Quo(u, bend.Sub(BigOf(1), bend))
		x.Add(x, step)
		if step.Sign() == 0 || step.MantExp(nil) < x.MantExp(nil)+settled {
			break
		}
	}
	return x
}

// BigLog returns log x for x > 0 in float64, with an error of at most 1e-15·max(1, |log x|).
func BigLog(x *big.Float) float64 {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64()
	return math.Log(f) + float64(e)*math.Ln2
}

// The functions below return starting values from which one step of the iteration usually suffices.

// startInvErfc approximates the x with erfc(x) = p with a relative error of about 2^-75, for p in [2^-1100, 1/2], by
// Newton's rule in double-double.
func startInvErfc(p *big.Float) *big.Float {
	x := RoughInvErfc(BigLog(p))
	if square := twoProd(x, x); square.hi < 800 {
		e := erfcxDD(x)
		excess := expNeg(square).normal().mul(wide{e, 0}.normal()).div(wideOfBig(p)).asDD().sub(dd{1, 0})
		return NewBig().Add(BigOf(x), BigOf(excess.hi*e.hi*math.SqrtPi/2))
	}
	return BigOf(x)
}

// RoughInvErfc approximates the x > 0 with log erfc(x) = logP, for logP <= log 1/2, by Newton's rule on log erfc.
func RoughInvErfc(logP float64) float64 {
	x := math.Sqrt(-logP)
	for range 8 {
		e := mills(dd{x * math.Sqrt2, 0}).hi * math.Sqrt2 / math.SqrtPi
		x = math.Max(x+(math.Log(e)-x*x-logP)*e*math.SqrtPi/2, 0.2)
	}
	return x
}

// startInvErf approximates the x with erf(x) = q, for q in (0, 1/2]. It makes one Newton step in double-double from
// math.Erfinv. If q is small, it uses the series at 0 instead.
func startInvErf(q *big.Float) *big.Float {
	f, _ := q.Float64()
	if f < 0x1p-20 {
		w := NewBig().Mul(q, BigSqrtPi())
		w.SetMantExp(w, -1)
		cube := newFloat(ShortPrec).Mul(w, w)
		cube.Mul(cube, w)
		return w.Add(w, cube.Quo(cube, BigOf(3)))
	}
	x := math.Erfinv(f)
	e, decay := erfcxDD(x), expNeg(twoProd(x, x)).asDD()
	lack := ddOfBig(q).sub(dd{1, 0}.sub(decay.mul(e)))
	return NewBig().Add(BigOf(x), BigOf(lack.hi/decay.hi*math.SqrtPi/2))
}

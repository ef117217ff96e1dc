package calibrate

import (
	"math"
	"math/big"
)

// settled is the exponent of a relative step that ends the iteration: of third order, it leaves 2^-160.
const settled = -60

// bigInvErfc is x with erfc(x) = p, for p in [2^-1100, 2), within 2^-160, relative, for an exact p.
//
// Proof note, p <= 1/2 (the rest follows by symmetry, and bigInvErf likewise). Halley's step from an error of e, relative,
// leaves less than (4·x²+1)·e³ < 2^12·e³; the last step is taken from an error below 2^-59, so that 2^-165 is left. What misses,
// erfcx(x) - p·e^(x²), is within 2^-200 of erfcx(x), which moves x by less than 2^-199 of itself: the derivative of log erfc by log x
// is at least 0.87.
func bigInvErfc(p *big.Float) *big.Float {
	switch {
	case p.Cmp(bigOf(0.5)) <= 0:
		return halleyErf(startInvErfc(p), func(x, growth *big.Float) *big.Float {
			return growth.Sub(shortErfcx(x), growth.Mul(growth, p))
		})
	case p.Cmp(bigOf(1.5)) >= 0:
		x := bigInvErfc(newBig().Sub(bigOf(2), p))
		return x.Neg(x)
	}
	return bigInvErf(newBig().Sub(bigOf(1), p))
}

// bigInvErf is x with erf(x) = q, for q in (-1, 1) with 1 - |q| >= 2^-1000, likewise.
func bigInvErf(q *big.Float) *big.Float {
	switch {
	case q.Sign() == 0:
		return newBig()
	case q.Sign() < 0:
		x := bigInvErf(newBig().Neg(q))
		return x.Neg(x)
	case q.Cmp(bigOf(0.5)) > 0:
		return bigInvErfc(newBig().Sub(bigOf(1), q))
	}
	return halleyErf(startInvErf(q), func(x, growth *big.Float) *big.Float {
		return growth.Sub(growth.Mul(growth, q), erfGrownAt(x, shortPrec))
	})
}

// halleyErf is the root near start, positive, of erfc(x) less a constant, whose derivative is -2/sqrt(pi)·e^(-x²) and that of log of
// it -2x. miss is that, times e^(x²), which it gets as growth and may overwrite.
func halleyErf(start *big.Float, miss func(x, growth *big.Float) *big.Float) *big.Float {
	x := newBig().Set(start)
	for range maxSteps {
		u := miss(x, expAt(newBig().Mul(x, x), shortPrec))
		u.Mul(u, bigSqrtPi()) // -2·miss/miss'
		u.SetMantExp(u, -1)
		bend := newBig().Mul(x, u)
		step := newBig().Quo(u, bend.Sub(bigOf(1), bend))
		x.Add(x, step)
		if step.Sign() == 0 || step.MantExp(nil) < x.MantExp(nil)+settled {
			break
		}
	}
	return x
}

// bigLog is near log x, for x > 0: to 1e-15 of it or of 1.
func bigLog(x *big.Float) float64 {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64()
	return math.Log(f) + float64(e)*math.Ln2
}

// What follows starts the iterations: near enough that one step is the rule.

// startInvErfc is near x with erfc(x) = p, for p in [2^-1100, 1/2], to 2^-75 or so: Newton's rule in double-double.
func startInvErfc(p *big.Float) *big.Float {
	x := roughInvErfc(bigLog(p))
	if square := twoProd(x, x); square.hi < 800 {
		e := erfcx(x)
		excess := expNeg(square).normal().mul(wide{e, 0}.normal()).div(wideOfBig(p)).plain().sub(dd{1, 0})
		return newBig().Add(bigOf(x), bigOf(excess.hi*e.hi*math.SqrtPi/2))
	}
	return bigOf(x)
}

// roughInvErfc is near x > 0 with log erfc(x) = logP, logP at most log 1/2, by Newton's rule on log erfc.
func roughInvErfc(logP float64) float64 {
	x := math.Sqrt(-logP)
	for range 8 {
		e := mills(dd{x * math.Sqrt2, 0}).hi * math.Sqrt2 / math.SqrtPi
		x = math.Max(x+(math.Log(e)-x*x-logP)*e*math.SqrtPi/2, 0.2)
	}
	return x
}

// startInvErf is near x with erf(x) = q, for q in (0, 1/2]: Newton's rule in double-double from math.Erfinv, or the series at 0 if that
// is close.
func startInvErf(q *big.Float) *big.Float {
	f, _ := q.Float64()
	if f < 0x1p-20 {
		w := newBig().Mul(q, bigSqrtPi())
		w.SetMantExp(w, -1)
		cube := at(shortPrec).Mul(w, w)
		cube.Mul(cube, w)
		return w.Add(w, cube.Quo(cube, bigOf(3)))
	}
	x := math.Erfinv(f)
	e, decay := erfcx(x), expNeg(twoProd(x, x)).plain()
	lack := ddOfBig(q).sub(dd{1, 0}.sub(decay.mul(e)))
	return newBig().Add(bigOf(x), bigOf(lack.hi/decay.hi*math.SqrtPi/2))
}

package calibrate

import (
	"math"
	"math/big"
)

// The formulas of Zhao et al. 2019 are all of one shape: with t of its own, sigma = (t + sqrt(t² + eps))/(eps·sqrt 2) at
// sensitivity 1.

// sigmaOf is that shape for any real t; if t < 0 as 1/(sqrt 2·(sqrt(t² + eps) - t)), in which nothing cancels. Its
// relative error is below twice that of t.
func sigmaOf(t, eps *big.Float) *big.Float {
	root := newBig().Mul(t, t)
	root.Sqrt(root.Add(root, eps))
	if t.Sign() < 0 {
		root.Sub(root, t)
		root.Mul(root, bigSqrt2())
		return root.Quo(bigOf(1), root)
	}
	root.Add(root, t)
	root.Quo(root, eps)
	return root.Quo(root, bigSqrt2())
}

// zhao1 is Mechanism 1 as printed: t = inverfc(2·delta/f), with
//
//	f = 1 - e^eps·erfc(sqrt(a² + eps))/erfc(a),  erfc(a) = 2·delta + erfcx(sqrt eps),
//
// and t = 0 if 2·delta + erfcx(sqrt eps) is at least 2. (a is a lower bound of the exact t, if that is positive, so
// that f is an upper one.)
//
// Proof note. erfc(a)·f is twice delta(eps) of the mu-GDP Gaussian mechanism at mu = sqrt 2·(sqrt(a² + eps) - a), which
// deltaWithin evaluates within 2^-186 also if f is tiny; mu and a are within 2^-158 and move it by less than 2^-140 of
// itself (|x·y| < 2^12). inverfc's argument is then within 2^-139; if it is near 1, it differs from 1 by 2^-54 or more
// but for coincidences that verification covers, and 2^-85 of t are lost at most.
func zhao1(eps, delta *big.Float) *big.Float {
	short := erfcxShort(newBig().Sqrt(eps))
	twice := newBig().SetMantExp(delta, 1)
	room := newBig().Sub(short, twice) // 1 - erfc(a) = erf(a)
	if room.Cmp(bigOf(-1)) <= 0 {
		return sigmaOf(newBig(), eps)
	}
	a := bigInvErf(room)
	mu := gapOf(a, eps)
	share := deltaWithin(eps, mu, uint(200+min(max(0, -mu.MantExp(nil)), millsBits-200)))
	share.SetMantExp(share, 1)
	p := newBig().Sub(bigOf(1), room)
	p.Mul(p, twice)
	return sigmaOf(bigInvErfc(p.Quo(p, share)), eps)
}

// gapOf is sqrt 2·(sqrt(a² + eps) - a), without cancellation.
func gapOf(a, eps *big.Float) *big.Float {
	root := newBig().Mul(a, a)
	root.Sqrt(root.Add(root, eps))
	if a.Sign() < 0 {
		root.Sub(root, a)
	} else {
		root.Quo(eps, root.Add(root, a))
	}
	return root.Mul(root, bigSqrt2())
}

// zhao1Guarded is the least of Mechanism 1, of 1/sqrt(2·eps) if that suffices, since the exact t is not positive
// (2·delta >= 1 - erfcx(sqrt eps)), and of the bound for all eps, 1/(2·sqrt 2·inverf(delta)).
func zhao1Guarded(eps, delta *big.Float) *big.Float {
	least := zeroEpsilonSigma(delta)
	if eps.Sign() == 0 {
		return least
	}
	if newBig().SetMantExp(delta, 1).Cmp(erfcxShort(newBig().Sqrt(eps))) >= 0 {
		least = smaller(least, sigmaOf(newBig(), eps))
	}
	return smaller(least, zhao1(eps, delta))
}

// zeroEpsilonSigma is 1/(2·sqrt 2·inverf(delta)): the exact sigma at eps = 0, which serves every eps.
func zeroEpsilonSigma(delta *big.Float) *big.Float {
	s := newBig().Mul(bigInvErf(delta), bigSqrt2())
	s.SetMantExp(s, 1)
	return s.Quo(bigOf(1), s)
}

func smaller(x, y *big.Float) *big.Float {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// zhao2 is Mechanism 2: t = sqrt(ln(1/v)) with v = (sqrt(16·delta + 1) - 1)/2, from erfc(t) <= (e^(-t²) + e^(-2t²))/2.
func zhao2(eps, delta *big.Float) *big.Float {
	return sigmaOf(chiani(newBig().SetMantExp(delta, 4)), eps)
}

// zhao4 is Mechanism 4: t = sqrt(ln(1/v)) with v = (sqrt(8·delta + 1) - 1)/2.
func zhao4(eps, delta *big.Float) *big.Float {
	return sigmaOf(chiani(newBig().SetMantExp(delta, 3)), eps)
}

// chiani is sqrt(ln(2/(sqrt(w+1) - 1))) for w in (0, 8], with the conjugate of the difference.
func chiani(w *big.Float) *big.Float {
	root := newBig().Add(w, bigOf(1))
	root.Sqrt(root)
	root.Add(root, bigOf(1))
	root.SetMantExp(root, 1)
	l := lnAt(root.Quo(root, w), shortPrec)
	if l.Sign() <= 0 { // delta is the largest there is
		return newBig()
	}
	return l.Sqrt(l)
}

// zhao3 is Mechanism 3: t = inverfc(delta).
func zhao3(eps, delta *big.Float) *big.Float { return sigmaOf(bigInvErfc(delta), eps) }

// pdpOpt solves erfc(t) + erfc(sqrt(t² + eps)) = 2·delta, whose left side falls from 2 to 0.
//
// Proof note. Times e^(t²) that is erfcx(t) + e^-eps·erfcx(y) = 2·delta·e^(t²), y = sqrt(t² + eps), each within 2^-200 of the left side, and
// the derivative of what misses is -2/sqrt(pi)·(1 + t/y·e^-eps), if a float64 serves. Newton's step from a relative error of e leaves
// less than 2^12·e² + 2^-45·e, and the last one is taken from less than 2^-79: 2^-123.
func pdpOpt(eps, delta *big.Float) *big.Float {
	t := startPDP(eps, delta)
	decay := newBig() // e^-eps, 0 if it is below 2^-1442
	if eps.Cmp(bigOf(1000)) < 0 {
		decay = expAt(newBig().Neg(eps), shortPrec)
	}
	for range maxSteps {
		square := newBig().Mul(t, t)
		y := newBig().Add(square, eps)
		y.Sqrt(y)
		miss := newBig().Mul(decay, shortErfcx(y))
		miss.Add(miss, erfcxSigned(t, square))
		grown := expAt(square, shortPrec)
		grown.Mul(grown, delta)
		miss.Sub(miss, grown.SetMantExp(grown, 1))
		slope := 1 + nearestFloat(t)/nearestFloat(y)*nearestFloat(decay)
		step := miss.Mul(miss, bigSqrtPi())
		step.Quo(step.SetMantExp(step, -1), bigOf(slope))
		t.Add(t, step)
		if step.Sign() == 0 || step.MantExp(nil) < t.MantExp(nil)-80 {
			break
		}
	}
	return sigmaOf(t, eps)
}

// erfcxSigned is erfcx(x) for x >= -8, within 2^-200, relative: 2·e^(x²) - erfcx(-x) for x < 0.
func erfcxSigned(x, square *big.Float) *big.Float {
	if x.Sign() >= 0 {
		return shortErfcx(x)
	}
	grown := expAt(square, shortPrec)
	return grown.Sub(grown.SetMantExp(grown, 1), shortErfcx(newBig().Neg(x)))
}

// startPDP is near the root of pdpOpt, mostly to 2^-75: a step of Newton's rule in double-double from roughPDP.
func startPDP(eps, delta *big.Float) *big.Float {
	e := ddOfBig(eps)
	t := roughPDP(e.hi, bigLog(delta))
	square := twoProd(t, t)
	sum := square.add(e)
	y := dd{math.Sqrt(sum.hi), 0}
	y = y.add(dd{sum.sub(twoProd(y.hi, y.hi)).hi / (2 * y.hi), 0})
	decay := wide{}
	if e.hi < 780 {
		decay = expNeg(e).normal()
	}
	if t < 0 || square.hi > 790 || !(y.hi > 0) {
		return bigOf(t)
	}
	both := wide{erfcx(t).add(wide{mills(sqrt2.mul(y)).mul(invSqrtPi2), 0}.normal().mul(decay).plain()), 0}.normal()
	excess := both.mul(expNeg(square).normal()).div(wideOfBig(delta)).plain().scale(0.5).sub(dd{1, 0})
	step := excess.hi * both.near() * math.SqrtPi / 2 / (1 + t/y.hi*decay.near())
	return newBig().Add(bigOf(t), bigOf(step))
}

// roughPDP is near the root of pdpOpt, by Newton's rule on the logarithm, from the right.
func roughPDP(eps, logDelta float64) float64 {
	t := 0.3
	if logDelta < -math.Ln2 {
		t = roughInvErfc(logDelta)
	}
	for range 60 {
		y := math.Sqrt(t*t + eps)
		e, _ := Erfcx(t)
		l, _ := LogErfc(t)
		ly, _ := LogErfc(y)
		r := math.Exp(ly - l)
		step := (l + math.Log1p(r) - logDelta - math.Ln2) * (1 + r) * e * math.SqrtPi / 2 / (1 + t/y*math.Exp(-eps))
		t = math.Max(t+step, -7)
		if !(math.Abs(step) > 1e-14) {
			break
		}
	}
	return t
}

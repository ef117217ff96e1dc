package methods

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The closed forms of the literature for sigma, at sensitivity 1: the classical formula sqrt(2·ln(k/delta))/eps, the
// formula by way of zCDP, and the formulas of Zhao et al. 2019. method.go names them and checks their values. It raises
// each value by more than its error before it rounds up.

// classic returns the formula sqrt(2·ln(k/delta))/eps.
func classic(k float64) func(eps, delta *big.Float) *big.Float {
	return func(eps, delta *big.Float) *big.Float {
		c := classicFactor(k, delta, numeric.ShortPrec)
		return c.Quo(c, eps)
	}
}

// classicFactor returns sqrt(2·ln(k/delta)) for k > 1, with a relative error below 2^(24-p).
func classicFactor(k float64, delta *big.Float, p uint) *big.Float {
	l := numeric.LnAt(numeric.NewBig().Quo(numeric.BigOf(k), delta), p)
	return l.Sqrt(l.SetMantExp(l, 1))
}

// zcdpSigma returns (sqrt(L + eps) + sqrt(L))/(eps·sqrt 2) with L = ln(1/delta). This is sigma = 1/sqrt(2·rho) for the
// rho with rho + 2·sqrt(rho·L) = eps.
func zcdpSigma(eps, delta *big.Float) *big.Float {
	l := numeric.LnAt(numeric.NewBig().Quo(numeric.BigOf(1), delta), numeric.ShortPrec)
	return sigmaOf(l.Sqrt(l), eps)
}

// The formulas of Zhao et al. 2019 all have the form sigma = (t + sqrt(t² + eps))/(eps·sqrt 2) at sensitivity 1. Each
// has its own t.

// sigmaOf returns (t + sqrt(t² + eps))/(eps·sqrt 2) for any real t. If t < 0, it computes 1/(sqrt 2·(sqrt(t² + eps) -
// t)), in which no digits cancel. Its relative error is below twice the relative error of t.
func sigmaOf(t, eps *big.Float) *big.Float {
	root := numeric.NewBig().Mul(t, t)
	root.Sqrt(root.Add(root, eps))
	if t.Sign() < 0 {
		root.Sub(root, t)
		root.Mul(root, numeric.BigSqrt2())
		return root.Quo(numeric.BigOf(1), root)
	}
	root.Add(root, t)
	root.Quo(root, eps)
	return root.Quo(root, numeric.BigSqrt2())
}

// zhao1 is Mechanism 1 as printed: t = inverfc(2·delta/f), with
//
//	f = 1 - e^eps·erfc(sqrt(a² + eps))/erfc(a),  erfc(a) = 2·delta + erfcx(sqrt eps),
//
// and t = 0 if 2·delta + erfcx(sqrt eps) is at least 2. If the exact t is positive, a is a lower bound on it, so f is
// an upper bound.
//
// Proof note. erfc(a)·f is twice delta(eps) of the mu-GDP Gaussian mechanism at mu = sqrt 2·(sqrt(a² + eps) - a).
// DeltaWithin evaluates it with a relative error of 2^-186 even if f is tiny. The errors of mu and a are below 2^-158
// and change it by less than 2^-140, relative (|x·y| < 2^12). So the argument of inverfc has a relative error below
// 2^-139. If this argument is near 1, it differs from 1 by 2^-54 or more, and t loses at most 2^-85. (It could be
// closer to 1 only by coincidence. A wrong t would then be rejected by the check of every value.)
func zhao1(eps, delta *big.Float) *big.Float {
	short := numeric.OneLessErfcx(numeric.NewBig().Sqrt(eps))
	twice := numeric.NewBig().SetMantExp(delta, 1)
	room := numeric.NewBig().Sub(short, twice) // 1 - erfc(a) = erf(a)
	if room.Cmp(numeric.BigOf(-1)) <= 0 {
		return sigmaOf(numeric.NewBig(), eps)
	}
	a := numeric.BigInvErf(room)
	mu := gapOf(a, eps)
	share := numeric.DeltaWithin(eps, mu, uint(200+min(max(0, -mu.MantExp(nil)), numeric.MillsBits-200)))
	share.SetMantExp(share, 1)
	p := numeric.NewBig().Sub(numeric.BigOf(1), room)
	p.Mul(p, twice)
	return sigmaOf(numeric.BigInvErfc(p.Quo(p, share)), eps)
}

// gapOf returns sqrt 2·(sqrt(a² + eps) - a). No digits cancel in its formulas.
func gapOf(a, eps *big.Float) *big.Float {
	root := numeric.NewBig().Mul(a, a)
	root.Sqrt(root.Add(root, eps))
	if a.Sign() < 0 {
		root.Sub(root, a)
	} else {
		root.Quo(eps, root.Add(root, a))
	}
	return root.Mul(root, numeric.BigSqrt2())
}

// zhao1Guarded returns the least of three values: Mechanism 1; 1/sqrt(2·eps) if 2·delta >= 1 - erfcx(sqrt eps), since
// the exact t is then at most 0; and 1/(2·sqrt 2·inverf(delta)), which suffices for every eps.
func zhao1Guarded(eps, delta *big.Float) *big.Float {
	least := zeroEpsilonSigma(delta)
	if eps.Sign() == 0 {
		return least
	}
	if numeric.NewBig().SetMantExp(delta, 1).Cmp(numeric.OneLessErfcx(numeric.NewBig().Sqrt(eps))) >= 0 {
		least = numeric.Smaller(least, sigmaOf(numeric.NewBig(), eps))
	}
	return numeric.Smaller(least, zhao1(eps, delta))
}

// zeroEpsilonSigma returns 1/(2·sqrt 2·inverf(delta)): the exact sigma at eps = 0, which suffices for every eps.
func zeroEpsilonSigma(delta *big.Float) *big.Float {
	s := numeric.NewBig().Mul(numeric.BigInvErf(delta), numeric.BigSqrt2())
	s.SetMantExp(s, 1)
	return s.Quo(numeric.BigOf(1), s)
}

// zhao2 is Mechanism 2: t = sqrt(ln(1/v)) with v = (sqrt(16·delta + 1) - 1)/2, from erfc(t) <= (e^(-t²) + e^(-2t²))/2.
func zhao2(eps, delta *big.Float) *big.Float {
	return sigmaOf(chiani(numeric.NewBig().SetMantExp(delta, 4)), eps)
}

// zhao4 is Mechanism 4: t = sqrt(ln(1/v)) with v = (sqrt(8·delta + 1) - 1)/2.
func zhao4(eps, delta *big.Float) *big.Float {
	return sigmaOf(chiani(numeric.NewBig().SetMantExp(delta, 3)), eps)
}

// chiani returns sqrt(ln(2/(sqrt(w+1) - 1))) for w in (0, 8]. It computes sqrt(w+1) - 1 as w/(sqrt(w+1) + 1), in which
// no digits cancel.
func chiani(w *big.Float) *big.Float {
	root := numeric.NewBig().Add(w, numeric.BigOf(1))
	root.Sqrt(root)
	root.Add(root, numeric.BigOf(1))
	root.SetMantExp(root, 1)
	l := numeric.LnAt(root.Quo(root, w), numeric.ShortPrec)
	if l.Sign() <= 0 { // delta has its largest value
		return numeric.NewBig()
	}
	return l.Sqrt(l)
}

// zhao3 is Mechanism 3: t = inverfc(delta).
func zhao3(eps, delta *big.Float) *big.Float { return sigmaOf(numeric.BigInvErfc(delta), eps) }

// pdpOpt returns sigmaOf of the t with erfc(t) + erfc(sqrt(t² + eps)) = 2·delta. The left side falls from 2 to 0 as t
// grows.
//
// Proof note. Multiplied by e^(t²) the equation is erfcx(t) + e^-eps·erfcx(y) = 2·delta·e^(t²) with y = sqrt(t² + eps).
// Each term has an error below 2^-200 of the left side. The derivative of the residual is -2/sqrt(pi)·(1 + t/y·e^-eps),
// which a float64 holds precisely enough. From a relative error of e, Newton's step leaves less than 2^12·e² + 2^-45·e.
// The last step starts from an error below 2^-79 and leaves less than 2^-123.
func pdpOpt(eps, delta *big.Float) *big.Float {
	t := numeric.BigOf(roughPDP(numeric.NearestFloat(eps), numeric.BigLog(delta)))
	decay := numeric.NewBig() // e^-eps, 0 if it is below 2^-1442
	if eps.Cmp(numeric.BigOf(1000)) < 0 {
		decay = numeric.ExpAt(numeric.NewBig().Neg(eps), numeric.ShortPrec)
	}
	for range numeric.MaxSteps {
		square := numeric.NewBig().Mul(t, t)
		y := numeric.NewBig().Add(square, eps)
		y.Sqrt(y)
		miss := numeric.NewBig().Mul(decay, numeric.BigErfcx(y))
		miss.Add(miss, erfcxSigned(t, square))
		grown := numeric.ExpAt(square, numeric.ShortPrec)
		grown.Mul(grown, delta)
		miss.Sub(miss, grown.SetMantExp(grown, 1))
		slope := 1 + numeric.NearestFloat(t)/numeric.NearestFloat(y)*numeric.NearestFloat(decay)
		step := miss.Mul(miss, numeric.BigSqrtPi())
		step.Quo(step.SetMantExp(step, -1), numeric.BigOf(slope))
		t.Add(t, step)
		if step.Sign() == 0 || step.MantExp(nil) < t.MantExp(nil)-80 {
			break
		}
	}
	return sigmaOf(t, eps)
}

// erfcxSigned returns erfcx(x) for x >= -8, with a relative error below 2^-200. For x < 0 it is 2·e^(x²) - erfcx(-x).
// square is x².
func erfcxSigned(x, square *big.Float) *big.Float {
	if x.Sign() >= 0 {
		return numeric.BigErfcx(x)
	}
	grown := numeric.ExpAt(square, numeric.ShortPrec)
	return grown.Sub(grown.SetMantExp(grown, 1), numeric.BigErfcx(numeric.NewBig().Neg(x)))
}

// roughPDP approximates the root t of pdpOpt, by Newton's rule on the logarithm of the equation, starting above the
// root.
func roughPDP(eps, logDelta float64) float64 {
	t := 0.3
	if logDelta < -math.Ln2 {
		t = numeric.RoughInvErfc(logDelta)
	}
	for range 60 {
		y := math.Sqrt(t*t + eps)
		e, l, ly := numeric.Erfcx(t), numeric.LogErfc(t), numeric.LogErfc(y)
		r := math.Exp(ly - l)
		step := (l + math.Log1p(r) - logDelta - math.Ln2) * (1 + r) * e * math.SqrtPi / 2 / (1 + t/y*math.Exp(-eps))
		t = math.Max(t+step, -7)
		if !(math.Abs(step) > 1e-14) {
			break
		}
	}
	return t
}

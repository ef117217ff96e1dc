package numeric

import "math"

// The solver finds the mu or the epsilon at which the curve takes a given delta, by Halley's rule on log delta with the
// fast evaluation. Its results are only candidates, which Meets accepts or rejects: a wrong candidate costs time, never
// safety. Usually two or three steps suffice. The starts, which are within a few per cent, come from rational
// approximations of the normal quantile and of Mills' ratio.

// MaxSteps bounds the iterations of a solver.
const MaxSteps = 40

// wildStep is larger than any step of a solver that converges. A larger step, or NaN, ends the attempt.
const wildStep = 1 << 12

// solveMu approximates the mu with delta(eps) = delta. converged reports whether its relative error is at most 2^-62.
func solveMu(eps, delta float64) (mu wide, converged bool) {
	e, mu := wideOf(eps), wideOf(startMu(eps, delta))
	for range MaxSteps {
		p := curve(e, mu)
		if p.region >= nothing {
			return mu, false
		}
		f, slope, sign := p.miss(delta)
		step := halley(f, slope, slope*(1+p.x*p.y+sign*slope))
		if !(math.Abs(step) < wildStep) {
			return mu, false
		}
		mu = mu.grow(step)
		if math.Abs(step)*(1+p.y) < 0x1p-24 {
			return mu, true
		}
	}
	return mu, false
}

// solveEpsilon approximates the epsilon > 0 with delta(epsilon) = delta. converged reports whether its relative error
// is at most 2^-62. The iteration solves for a = epsilon/mu, because the width of the curve in a is about 1, whatever
// mu is.
func solveEpsilon(delta float64, mu wide) (eps wide, converged bool) {
	m := mu.approximate()
	a := math.Max(startX(delta, m)+m/2, 0)
	eps = wideOf(a).mul(mu)
	for range MaxSteps {
		p := curve(eps, mu)
		if p.region >= nothing {
			return eps, false
		}
		f, slope, sign := p.miss(delta)
		f1 := -slope * p.mills
		step := halley(f, f1, slope*(1-m*p.mills)+sign*f1*f1)
		if !(math.Abs(step) < wildStep) {
			return eps, false
		}
		if eps, a = eps.shift(step, mu); a == 0 {
			return eps, false
		}
		if math.Abs(step)*(1+m) < 0x1p-30 {
			return eps, a*-f1 > 0x1p-10
		}
	}
	return eps, false
}

// shift returns w + step·mu, and this sum divided by mu; both are at least 0.
func (w wide) shift(step float64, mu wide) (wide, float64) {
	a := dd{step, 0}
	if w.m.hi > 0 {
		a = w.div(mu).asDD().add(a)
	}
	if !(a.hi > 0) {
		return wide{}, 0
	}
	return wide{a, 0}.normal().mul(mu), a.hi
}

// grow returns w·e^step.
func (w wide) grow(step float64) wide {
	return wide{w.m.add(w.m.mulFloat(math.Expm1(step))), w.e}.normal()
}

// halley returns the step towards the root of a function with value f and derivatives f1 and f2. It uses Halley's rule,
// or Newton's if the second derivative would mislead.
func halley(f, f1, f2 float64) float64 {
	bend := 1 - f/f1*(f2/f1)/2
	if !(bend > 0.25) {
		bend = 1
	}
	return -f / f1 / bend
}

// miss returns how far the point is from delta on the solver's scale: log(delta(eps)/delta), or log((1 - delta)/(1 -
// delta(eps))) if delta is large. Both grow with mu. slope is the derivative with respect to log mu. sign is the sign
// of the term slope² in the second derivative.
func (p point) miss(delta float64) (f, slope, sign float64) {
	if p.region == upper && delta > 0.5 {
		return -p.value.logOver(wide{twoSum(1, -delta), 0}.normal()), p.slope, 1
	}
	p = p.asDelta()
	return p.value.logOver(wideOf(delta)), p.slope, -1
}

// asDelta returns the point with delta as its value, whether the value was delta or 1 - delta.
func (p point) asDelta() point {
	if p.region == upper {
		c := p.value.asDD()
		d := dd{1, 0}.sub(c)
		p.region, p.value, p.slope = lower, wide{d, 0}.normal(), p.slope*c.hi/d.hi
	}
	return p
}

// logOver returns log(w/v). Both must be normalised.
func (w wide) logOver(v wide) float64 {
	d := w.e - v.e
	if d < -1 || d > 1 {
		return math.Log(w.m.hi/v.m.hi) + float64(d)*math.Ln2
	}
	return math.Log1p(w.m.scale(math.Ldexp(1, d)).sub(v.m).hi / v.m.hi)
}

// Starting values of the solver

// RoughQuantile returns z with 1 - Phi(z) = p, for 0 < p < 1, with an absolute error below 5e-4 (Abramowitz & Stegun
// 26.2.23).
func RoughQuantile(p float64) float64 {
	if p > 0.5 {
		return -RoughQuantile(1 - p)
	}
	t := math.Sqrt(-2 * math.Log(p))
	return t - (2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308)))
}

// roughMills returns R(x) for x > -1, with a relative error of a few per cent.
func roughMills(x float64) float64 { return 4 / (3*x + math.Sqrt(x*x+8)) }

// roughShare returns 1 - R(x + mu)/R(x), the quotient of delta(epsilon) and Phi(-x).
func roughShare(x, mu float64) float64 {
	if mu < 1e-3 {
		return mu * (1/roughMills(x) - x)
	}
	return 1 - roughMills(x+mu)/roughMills(x)
}

// muAt returns the mu > 0 at which eps/mu - mu/2 = x. No digits cancel in its formulas.
func muAt(eps, x float64) float64 {
	root := math.Sqrt(x*x + 2*eps)
	if x > 0 {
		return 2 * eps / (x + root)
	}
	return root - x
}

// startMu approximates the mu with delta(eps) = delta by the larger of two lower bounds. One is muAt for the quantile
// of delta, since delta(eps) <= Phi(-x). The other is sqrt(2 pi)·delta, since delta(eps) <= delta(0) <= mu/sqrt(2 pi).
func startMu(eps, delta float64) float64 {
	if delta > 0.5 { // Phi(x) <= 1 - delta(eps) <= 2·Phi(x)
		return muAt(eps, -RoughQuantile((1-delta)/2))
	}
	mu := math.Max(muAt(eps, RoughQuantile(delta)), 2.5*delta)
	for range 3 {
		p := delta / roughShare(eps/mu-mu/2, mu)
		if !(p > 0 && p < 0.5) {
			break
		}
		mu = math.Max(mu, muAt(eps, RoughQuantile(p)))
	}
	return mu
}

// startX approximates the x = eps/mu - mu/2 with delta(eps) = delta.
func startX(delta, mu float64) float64 {
	x := math.Max(RoughQuantile(delta), -mu/2)
	for range 3 {
		p := delta / roughShare(x, mu)
		if !(x > -1 && p > 0 && p < 0.5) {
			break
		}
		x = math.Max(RoughQuantile(p), -mu/2)
	}
	return x
}

package numeric

// The fast evaluation of the curve delta(epsilon), in double-double. With Mills' ratio R, delta is phi(x)·(R(x) -
// R(y)), in which nothing overflows. Two cases need care. If x is negative, 1 - delta is evaluated instead of delta. If
// mu is small, digits cancel in R(x) - R(y), so fillMidpoint sums a series in mu instead. The relative error of each
// value is proven to be at most slack.

// region is the range of the curve in which a point lies. It decides which number is computed.
type region uint8

const (
	lower   region = iota // the point's value is delta
	upper                 // the point's value is 1 - delta
	nothing               // no value is computed: delta is below 2^-1090
	all                   // no value is computed: delta is above 1 - 2^-61
)

// slack is an upper bound on the relative error of a point's value.
const slack = 0x1p-76

// point is one point of the curve delta(epsilon) of the mu-GDP Gaussian mechanism, with derivatives for the solver. The
// fields x, y, slope and mills are float64 approximations.
type point struct {
	region region
	// value is delta or 1 - delta, normalised, with a relative error of at most slack.
	value wide
	// x is eps/mu - mu/2 and y is eps/mu + mu/2.
	x, y float64
	// slope is mu·phi(x)/value.
	slope float64
	// mills is R(y).
	mills float64
}

// If mu is below smallMu, R(x) - R(y) is summed as a series in mu.
const smallMu = 1. / 32

// curve evaluates delta(epsilon) of the Gaussian mechanism with parameter mu (Balle & Wang 2018, Theorem 8):
//
//	delta = Phi(-x) - e^epsilon·Phi(-y),  x = eps/mu - mu/2,  y = eps/mu + mu/2.
//
// Since e^epsilon·phi(y) = phi(x), this can be written with Mills' ratio R as
//
//	delta = phi(x)·(R(x) - R(y)),  and if x < 0  1 - delta = phi(x)·(R(-x) + R(y)),
//
// in which nothing overflows. curve accepts epsilon in [0, 2^21] and any mu > 0, normalised. Both may have relative
// errors of up to 2^-101.
//
// Proof note: the relative error of value is below 2^-80 < slack. The relative error of eps/mu is below 2^-99.6 and
// that of mu/2 below 2^-101, so x and y have absolute errors below y·2^-99. If x is outside of [-9, 39], curve returns
// a region. Otherwise y² = x² + 2·eps gives y < 2^11.1. The relative error of phi(x) is then below 39·2^(11.1-99) +
// 760·2^-103 + 2^-89 < 2^-82.4: from the error of x, from the rounding of x²/2 <= 760, and from expNeg. phi(x) is
// multiplied by a factor:
//   - mu >= 1/32, x >= 0: the factor is D = R(x) - R(y). |R'| falls, but at most by e^-1.26 if its argument grows by
//     1. So |R'(x)| and |R'(y)| are at most 33.4·D, and the errors of x and y change D by less than 2·33.4·2^-87.9 <
//     2^-81.8, relative. R(x) <= 39.1·|R'(x)|, since R' = x·R - 1 < -1/(x²+3). So the errors of R(x) and R(y) change D
//     by less than 2·39.1·33.4·2^-95 < 2^-83.6. Together with phi(x) the error is below 2^-80.7.
//   - mu >= 1/32, x < 0: in R(-x) + R(y) no digits cancel, and |R'| <= 0.8·R. So its error is below 2^-87.
//   - mu < 1/32: y < 39.1, so the error of phi(x) is below 2^-87. fillMidpoint proves that the error of the factor is
//     below 2^-82.2.
func curve(eps, mu wide) point {
	a, b, where := halves(eps, mu)
	if where != lower {
		return point{region: where}
	}
	x, y := a.sub(b), a.add(b)
	switch {
	case x.hi > 39: // delta < phi(39)/39
		return point{region: nothing}
	case x.hi < -9: // 1 - delta < 2·Phi(-9)
		return point{region: all}
	}
	p := point{x: x.hi, y: y.hi}
	if 2*b.hi < smallMu {
		p.fillMidpoint(phi(x), a, b, mu)
	} else {
		p.fillDirect(phi(x), x, y, mu)
	}
	return p
}

// halves returns a = eps/mu and b = mu/2. If a or b is so large that the other does not matter, it returns the region
// of the point instead. A value below 2^-299 becomes 0, which changes the result of curve by less than 2^-297,
// relative.
func halves(eps, mu wide) (a, b dd, where region) {
	switch {
	case mu.e > 40: // mu >= 2^40, eps/mu <= 2^-19
		return a, b, all
	case mu.e >= -300:
		b = wide{mu.m, mu.e - 1}.asDD()
	}
	if eps.m.hi == 0 || eps.e-mu.e < -300 {
		return a, b, lower
	}
	if eps.e-mu.e > 60 { // eps/mu >= 2^59, mu <= 2^-38
		return a, b, nothing
	}
	return wide{eps.m.div(mu.m), eps.e - mu.e}.asDD(), b, lower
}

// phi returns the normal density at x, for |x| <= 39.1: e^(-x²/2)/sqrt(2·pi).
func phi(x dd) wide {
	e := expNeg(x.mul(x).scale(0.5))
	return wide{e.m.mul(invSqrt2Pi), e.e}
}

// fillDirect computes the fields of the point from Mills' ratios R(x) and R(y).
func (p *point) fillDirect(density wide, x, y dd, mu wide) {
	r := mills(y)
	var factor dd
	if x.hi < 0 {
		p.region, factor = upper, mills(x.neg()).add(r)
	} else {
		factor = mills(x).sub(r)
	}
	p.value = wide{density.m.mul(factor), density.e}.normal()
	p.slope = mu.approximate() / factor.hi
	p.mills = r.hi
}

// fillMidpoint computes the fields of the point for mu < 1/32, from the Taylor series of R at a = eps/mu. With c[n] =
// R^(n)(a)/n! and b = mu/2,
//
//	R(a - b) - R(a + b) = -mu·(c[1] + c[3]·b² + c[5]·b⁴ + ...).
//
// Proof note, 0 <= a < 39.1, b < 1/64. All terms of the sum G in parentheses have one sign, so |G| >= |c[1]| > 1/(a²+3)
// > 2^-10.6. The omitted terms, from c[13]·b^12 on, are below 2^-89·|c[1]|.
//
// c[0] and c[1] have absolute errors below ε = 2^-94.5, and the recurrence passes them on to the other c[n]. The errors
// of all c[n] are the Taylor coefficients of a function f with f″ = f + (a+h)·f', the equation of R(a+h). Since |f(0)|
// and |f'(0)| are at most ε, |f'(h)| <= (1 + 2b)·e^((a+b)·b)·ε < 1.91·ε for |h| <= b (Grönwall). The error in G is the
// mean of f' over [-b, b]. With the roundings of the recurrence it is below 2^-92.8, which is 2^-82.2 of G.
//
// c[6] and later coefficients are in float64. Their terms are below 2^-42·|c[1]|, and the errors of these terms below
// 2^-90·|c[1]|.
func (p *point) fillMidpoint(density wide, a, b dd, mu wide) {
	c0 := mills(a)
	c1 := c0.mul(a).sub(dd{1, 0})
	c2 := c1.mul(a).add(c0).scale(1. / 2)
	c3 := c2.mul(a).add(c1).mul(third)
	c4 := c3.mul(a).add(c2).scale(1. / 4)
	c5 := c4.mul(a).add(c3).mul(fifth)
	square := b.mul(b)
	s := c5.add(dd{lateTerms(a.hi, square.hi, c4.hi, c5.hi), 0})
	s = s.mul(square).add(c3)
	s = s.mul(square).add(c1).neg()
	p.value = wide{density.m.mul(s), density.e}.normal().mul(mu)
	p.slope = 1 / s.hi
	h := b.hi
	p.mills = c0.hi + h*(c1.hi+h*(c2.hi+h*(c3.hi+h*(c4.hi+h*c5.hi))))
}

// lateTerms returns c[7]·v + c[9]·v² + c[11]·v³. It computes these coefficients from c[4] and c[5].
func lateTerms(a, v, c4, c5 float64) float64 {
	c6 := (c4 + a*c5) / 6
	c7 := (c5 + a*c6) / 7
	c8 := (c6 + a*c7) / 8
	c9 := (c7 + a*c8) / 9
	c10 := (c8 + a*c9) / 10
	c11 := (c9 + a*c10) / 11
	return v * (c7 + v*(c9+v*c11))
}

// third and fifth are 1/3 and 1/5, with a relative error below 2^-107.
var (
	third = dd{0x1.5555555555555p-2, 0x1.5555555555555p-56}
	fifth = dd{0x1.999999999999ap-3, -0x1.999999999999ap-57}
)

// UpperTail returns 1 - Phi(x) for 0 <= x <= 39, rounded up.
func UpperTail(x float64) float64 {
	t := phi(dd{x, 0})
	return wide{t.m.mul(mills(dd{x, 0})), t.e}.normal().widen(slack).roundUp()
}

package calibrate

// midpoint fills the point for mu < 1/32 from the Taylor series of R about a = eps/mu: with c[n] = R^(n)(a)/n! and b =
// mu/2,
//
//	R(a - b) - R(a + b) = -mu·(c[1] + c[3]·b² + c[5]·b⁴ + ...).
//
// Proof note, 0 <= a < 39.1, b < 1/64. The sum G of the series is at least |c[1]| > 1/(a²+3) > 2^-10.6. c[13]·b^12, left
// out, is below 2^-89·|c[1]|. c[0] and c[1] are within 2^-94.5, absolute; the recurrence, which also holds for e^(ah +
// h²/2), carries that to at most 2^-94.5·e^(ab + 1) < 2^-92.8 in G: 2^-82.2 of it. c[6] and later are in float64: their
// part is below 2^-42·|c[1]| and its errors, carried likewise, below 2^-90·|c[1]|.
func (p *point) midpoint(density wide, a, b dd, mu wide) {
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

// lateTerms is c[7]·v + c[9]·v² + c[11]·v³, from c[4] and c[5].
func lateTerms(a, v, c4, c5 float64) float64 {
	c6 := (c4 + a*c5) / 6
	c7 := (c5 + a*c6) / 7
	c8 := (c6 + a*c7) / 8
	c9 := (c7 + a*c8) / 9
	c10 := (c8 + a*c9) / 10
	c11 := (c9 + a*c10) / 11
	return v * (c7 + v*(c9+v*c11))
}

// third and fifth are 1/3 and 1/5, within 2^-107, relative.
var (
	third = dd{0x1.5555555555555p-2, 0x1.5555555555555p-56}
	fifth = dd{0x1.999999999999ap-3, -0x1.999999999999ap-57}
)

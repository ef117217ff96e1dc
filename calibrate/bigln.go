package calibrate

import (
	"math"
	"math/big"
	"sync"
)

// bigLn is the natural logarithm of x > 0, within 2^-1000, relative.
func bigLn(x *big.Float) *big.Float { return lnAt(x, bigPrec) }

// lnAt is the natural logarithm of x > 0, within 2^(24-p), relative; x has at most bigPrec bits.
//
// Proof note. x = m·2^e with m in [0.7, 1.42]; m - 1 has no error but its rounding, so z = (m-1)/(m+1) and the series of 2·atanh(z),
// whose terms have one sign and shrink by 0.03 or more, are within 2^(14-p), relative: also if x is near 1 and e = 0.
// Else |ln m| < 0.36 beside |e|·ln 2 >= 0.69: the sum loses less than two bits.
func lnAt(x *big.Float, p uint) *big.Float {
	m := newBig()
	e := newBig().Set(x).MantExp(m)
	if m.Cmp(bigOf(math.Sqrt2/2)) < 0 {
		m.SetMantExp(m, 1)
		e--
	}
	z := at(p).Quo(at(p).Sub(m, bigOf(1)), at(p).Add(m, bigOf(1)))
	sum := bigAtanh(z)
	sum.SetMantExp(sum, 1)
	return sum.Add(sum, at(p).Mul(bigOf(float64(e)), bigLn2()))
}

// bigLn2 is ln 2 = 2·atanh(1/3).
var bigLn2 = sync.OnceValue(func() *big.Float {
	s := bigAtanh(newBig().Quo(bigOf(1), bigOf(3)))
	return s.SetMantExp(s, 1)
})

// bigAtanh is atanh(z) for |z| <= 1/3 by its Taylor series, in z's precision.
func bigAtanh(z *big.Float) *big.Float {
	p := z.Prec()
	sum, power, term, whole := at(p).Set(z), at(p).Set(z), at(p), new(big.Float)
	square := at(p).Mul(z, z)
	for k := 3.0; ; k += 2 {
		power.Mul(power, square)
		term.Quo(power, whole.SetFloat64(k))
		if negligible(term, sum) {
			return sum
		}
		sum.Add(sum, term)
	}
}

// bigExpm1 is e^t - 1 for |t| <= 1/2, within 2^(24-p), relative, in t's precision p.
//
// Proof note. The terms shrink by a quarter or more from the second on and the first outweighs them: |sum| >= |t|/2, so
// roundings of 2^(1-p) in fewer than 2^8 terms cost less than 2^(12-p).
func bigExpm1(t *big.Float) *big.Float {
	p := t.Prec()
	sum, term, whole := at(p).Set(t), at(p).Set(t), new(big.Float)
	for n := 2.0; !negligible(term, sum); n++ {
		term.Mul(term, t)
		term.Quo(term, whole.SetFloat64(n))
		sum.Add(sum, term)
	}
	return sum
}

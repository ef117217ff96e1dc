package calibrate

import (
	"math"
	"math/big"
	"sync"
)

// bigLn is the natural logarithm of x > 0, within 2^-1000, relative.
//
// Proof note. x = m·2^e with m in [0.7, 1.42]; m - 1 has no error, so z = (m-1)/(m+1) and the series of 2·atanh(z),
// whose terms have one sign and shrink by 0.03 or more, are within 2^-1010, relative: also where x is near 1 and e = 0.
// Else |ln m| < 0.36 beside |e|·ln 2 >= 0.69: the sum loses less than two bits.
func bigLn(x *big.Float) *big.Float {
	m := newBig()
	e := newBig().Set(x).MantExp(m)
	if m.Cmp(bigOf(math.Sqrt2/2)) < 0 {
		m.SetMantExp(m, 1)
		e--
	}
	z := newBig().Quo(newBig().Sub(m, bigOf(1)), newBig().Add(m, bigOf(1)))
	sum := bigAtanh(z)
	sum.SetMantExp(sum, 1)
	return sum.Add(sum, newBig().Mul(bigOf(float64(e)), bigLn2()))
}

// bigLn2 is ln 2 = 2·atanh(1/3).
var bigLn2 = sync.OnceValue(func() *big.Float {
	s := bigAtanh(newBig().Quo(bigOf(1), bigOf(3)))
	return s.SetMantExp(s, 1)
})

// bigAtanh is atanh(z) for |z| <= 1/3 by its Taylor series.
func bigAtanh(z *big.Float) *big.Float {
	sum, power := newBig().Set(z), newBig().Set(z)
	square := newBig().Mul(z, z)
	for k := 3.0; ; k += 2 {
		power.Mul(power, square)
		term := newBig().Quo(power, bigOf(k))
		if negligible(term, sum) {
			return sum
		}
		sum.Add(sum, term)
	}
}

// bigExpm1 is e^t - 1 for |t| <= 1/2, within 2^-1000, relative.
//
// Proof note. The terms shrink by a quarter or more from the second on and the first outweighs them: |sum| >= |t|/2, so
// roundings of 2^-1023 in fewer than 2^8 terms cost less than 2^-1012.
func bigExpm1(t *big.Float) *big.Float {
	sum, term := newBig().Set(t), newBig().Set(t)
	for n := 2.0; !negligible(term, sum); n++ {
		term.Mul(term, t)
		term.Quo(term, bigOf(n))
		sum.Add(sum, term)
	}
	return sum
}

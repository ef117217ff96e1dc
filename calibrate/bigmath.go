package calibrate

import (
	"math/big"
	"sync"
)

// bigPrec is the precision, in bits, of the extended evaluation. Each operation rounds within 2^-1023, relative.
const bigPrec = 1024

// newBig is a zero of the extended precision.
func newBig() *big.Float { return new(big.Float).SetPrec(bigPrec) }

// bigOf is x without error; x is finite.
func bigOf(x float64) *big.Float { return newBig().SetFloat64(x) }

// bigPow2 is 2^n.
func bigPow2(n int) *big.Float { return newBig().SetMantExp(bigOf(1), n) }

// negligible says whether the term is too small to move sum, by 2^-(bigPrec+8).
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-bigPrec-8
}

// bigPi is pi by Machin's formula, 16 atan(1/5) - 4 atan(1/239): within 2^-1010, relative.
var bigPi = sync.OnceValue(func() *big.Float {
	a := newBig().Mul(bigOf(16), atanInverse(5))
	b := newBig().Mul(bigOf(4), atanInverse(239))
	return a.Sub(a, b)
})

// atanInverse is atan(1/n) by its Taylor series, whose terms alternate and fall.
func atanInverse(n float64) *big.Float {
	power := newBig().Quo(bigOf(1), bigOf(n))
	square := bigOf(n * n)
	sum := newBig().Set(power)
	for k := 1.0; ; k++ {
		power.Quo(power, square)
		term := newBig().Quo(power, bigOf(2*k+1))
		if negligible(term, sum) {
			return sum
		}
		if int(k)%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
}

// bigSqrt2Pi is sqrt(2 pi), within 2^-1008, relative.
var bigSqrt2Pi = sync.OnceValue(func() *big.Float {
	two := newBig().Mul(bigOf(2), bigPi())
	return newBig().Sqrt(two)
})

// bigExp is e^t for |t| <= 2^13, within 2^-970, relative.
//
// Proof note. With s = t/2^32, |s| <= 2^-19, the series has fewer than 2^6 terms and is within 2^-1014; 32 squarings
// double the relative error each and add 2^-1023: below 2^32·2^-1013 = 2^-981.
func bigExp(t *big.Float) *big.Float {
	s := newBig().SetMantExp(t, -32)
	sum, term := bigOf(1), bigOf(1)
	for n := 1.0; !negligible(term, sum); n++ {
		term.Mul(term, s)
		term.Quo(term, bigOf(n))
		sum.Add(sum, term)
	}
	for range 32 {
		sum.Mul(sum, sum)
	}
	return sum
}

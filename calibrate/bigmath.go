package calibrate

import (
	"math/big"
	"sync"
)

// Precisions, in bits, of the extended evaluation: each operation at p bits rounds within 2^(1-p), relative. What decides on safety is
// worked out in bigPrec; closed forms, which are raised by far more than their error, in shortPrec.
const (
	bigPrec   = 1024
	shortPrec = 256
)

// newBig is a zero of the extended precision.
func newBig() *big.Float { return new(big.Float).SetPrec(bigPrec) }

// bigOf is x without error; x is finite.
func bigOf(x float64) *big.Float { return newBig().SetFloat64(x) }

// bigPow2 is 2^n.
func bigPow2(n int) *big.Float { return newBig().SetMantExp(bigOf(1), n) }

// at is a zero of p bits.
func at(p uint) *big.Float { return new(big.Float).SetPrec(p) }

// negligible says whether the term is too small to move sum, by 2^-8 of its last place.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(sum.Prec())-8
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
func bigExp(t *big.Float) *big.Float { return expAt(t, bigPrec) }

// expAt is e^t for |t| <= 2^13, within 2^(54-p), relative.
//
// Proof note. Rounding t costs at most 2^(13-p). With s = t/2^32, |s| <= 2^-19, the series has fewer than 2^6 terms and is within
// 2^(10-p); 32 squarings double the relative error each and add 2^(1-p): below 2^32·2^(11-p).
func expAt(t *big.Float, p uint) *big.Float {
	s := at(p).SetMantExp(t, -32)
	sum, term, whole := at(p).SetInt64(1), at(p).SetInt64(1), new(big.Float)
	for n := 1.0; !negligible(term, sum); n++ {
		term.Mul(term, s)
		term.Quo(term, whole.SetFloat64(n))
		sum.Add(sum, term)
	}
	for range 32 {
		sum.Mul(sum, sum)
	}
	return sum
}

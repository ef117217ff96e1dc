package calibrate

import (
	"math/big"
	"sync"
)

// bigSqrt2 and bigSqrtPi are sqrt(2) and sqrt(pi), within 2^-1005, relative.
var (
	bigSqrt2  = sync.OnceValue(func() *big.Float { return newBig().Sqrt(bigOf(2)) })
	bigSqrtPi = sync.OnceValue(func() *big.Float { return newBig().Sqrt(bigPi()) })
)

// bigErfc is erfc(x) for |x| <= 60, within 2^-440, relative: 2·phi(z)·R(z) with z = sqrt(2)·x, and 2 - erfc(-x) for x < 0.
//
// Proof note. z is within 2^-1004 and below 85, so phi(z) is within 2^-960; R is within 2^-450.
func bigErfc(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		tail := bigErfc(newBig().Neg(x))
		return tail.Sub(bigOf(2), tail)
	}
	z := newBig().Mul(bigSqrt2(), x)
	tail := newBig().Mul(bigPhi(z), bigMills(z))
	return tail.SetMantExp(tail, 1)
}

// bigErfGrown is e^(x²)·erf(x) for 0 <= x <= 1, within 2^-1000, relative: the series 2/sqrt(pi)·sum of 2^n·x^(2n+1)/(2n+1)!!,
// whose terms are positive (Abramowitz & Stegun 7.1.6).
func bigErfGrown(x *big.Float) *big.Float {
	twice := newBig().Mul(x, x)
	twice.SetMantExp(twice, 1)
	sum, term := newBig().Set(x), newBig().Set(x)
	for n := 3.0; !negligible(term, sum); n += 2 {
		term.Mul(term, twice)
		term.Quo(term, bigOf(n))
		sum.Add(sum, term)
	}
	sum.SetMantExp(sum, 1)
	return sum.Quo(sum, bigSqrtPi())
}

// bigErf is erf(x) for 0 <= x <= 1, within 2^-960, relative.
func bigErf(x *big.Float) *big.Float {
	square := newBig().Mul(x, x)
	return square.Mul(bigErfGrown(x), bigExp(square.Neg(square)))
}

// bigErfcx is erfcx(x) = e^(x²)·erfc(x) = sqrt(2/pi)·R(sqrt(2)·x) for x >= 0, within 2^-449, relative.
func bigErfcx(x *big.Float) *big.Float {
	r := bigMills(newBig().Mul(bigSqrt2(), x))
	r.Mul(r, bigSqrt2())
	return r.Quo(r, bigSqrtPi())
}

// bigErfcxShort is 1 - erfcx(x) for x >= 0, within 2^-440, relative.
//
// Proof note. For x <= 1/2 it is e^(x²)·erf(x) - (e^(x²) - 1), both within 2^-1000, and the second is at most x²·1.14 <=
// 0.57·x, half of the first. Beyond, 1 - erfcx(x) > 0.38.
func bigErfcxShort(x *big.Float) *big.Float {
	if x.Cmp(bigOf(0.5)) > 0 {
		return newBig().Sub(bigOf(1), bigErfcx(x))
	}
	grown := bigErfGrown(x)
	return grown.Sub(grown, bigExpm1(newBig().Mul(x, x)))
}

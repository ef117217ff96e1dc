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

// erfGrownAt is e^(x²)·erf(x) for 0 <= x <= 1, within 2^(24-p), relative: the series 2/sqrt(pi)·sum of 2^n·x^(2n+1)/(2n+1)!!, whose terms
// are positive (Abramowitz & Stegun 7.1.6).
func erfGrownAt(x *big.Float, p uint) *big.Float {
	twice := at(p).Mul(x, x)
	twice.SetMantExp(twice, 1)
	sum, term, whole := at(p).Set(x), at(p).Set(x), new(big.Float)
	for n := 3.0; !negligible(term, sum); n += 2 {
		term.Mul(term, twice)
		term.Quo(term, whole.SetFloat64(n))
		sum.Add(sum, term)
	}
	sum.SetMantExp(sum, 1)
	return sum.Quo(sum, bigSqrtPi())
}

// shortErfcx is erfcx(x) = e^(x²)·erfc(x) = sqrt(2/pi)·R(sqrt(2)·x) for x >= 0, within 2^-220, relative.
func shortErfcx(x *big.Float) *big.Float {
	r := millsWithin(newBig().Mul(bigSqrt2(), x), shortPrec-32)
	r.Mul(r, bigSqrt2())
	return r.Quo(r, bigSqrtPi())
}

// erfcxShort is 1 - erfcx(x) for x >= 0, within 2^-216, relative.
//
// Proof note. For x <= 1/2 it is e^(x²)·erf(x) - (e^(x²) - 1), both within 2^(24-p), and the second is at most x²·1.14 <=
// 0.57·x, half of the first. Beyond, 1 - erfcx(x) > 0.38.
func erfcxShort(x *big.Float) *big.Float {
	if x.Cmp(bigOf(0.5)) > 0 {
		return newBig().Sub(bigOf(1), shortErfcx(x))
	}
	grown := erfGrownAt(x, shortPrec)
	return grown.Sub(grown, bigExpm1(at(shortPrec).Mul(x, x)))
}

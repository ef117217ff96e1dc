package calibrate

import (
	"math"
	"math/big"
)

// asymptoticFrom is the x from which Mills' ratio is summed by its asymptotic series.
const asymptoticFrom = 26

// millsBits is the accuracy of bigMills.
const millsBits = 450

// bigMills is Mills' ratio R(x) = (1 - Phi(x))/phi(x) for 0 <= x, within 2^-450, relative; x is below 2^2000.
func bigMills(x *big.Float) *big.Float { return millsWithin(x, millsBits) }

// millsWithin is R(x) within 2^-bits, relative, for bits up to 450.
func millsWithin(x *big.Float, bits uint) *big.Float {
	if x.Cmp(bigOf(asymptoticFrom)) >= 0 {
		return millsAsymptoticAt(x, bits+24)
	}
	half := newBig().Mul(x, x)
	half.SetMantExp(half, -1)
	growth, _ := half.Float64()
	return millsSeriesAt(x, bits+64+uint(growth/math.Ln2))
}

// millsSeriesAt is R(x) = sqrt(pi/2)·e^(x²/2) - sum over n >= 0 of x^(2n+1)/(2n+1)!! (Abramowitz & Stegun 26.2.11), within
// 2^(61-p)·e^(x²/2), relative.
//
// Proof note, 0 <= x < 26. The terms are positive and their sum is below sqrt(pi/2)·e^(x²/2). It has fewer than 2^12 terms, each
// within 2^(15-p), relative, and the exponential is within 2^(54-p); so the difference is within 2^(56-p)·e^(x²/2), and R(x) > 1/27
// (R falls, and R(x) > x/(x²+1)).
func millsSeriesAt(x *big.Float, p uint) *big.Float {
	square := at(p).Mul(x, x)
	term, sum, whole := at(p).Set(x), at(p).Set(x), new(big.Float)
	for n := 3.0; !negligible(term, sum); n += 2 {
		term.Mul(term, square)
		term.Quo(term, whole.SetFloat64(n))
		sum.Add(sum, term)
	}
	half := square.SetMantExp(square, -1)
	growth := at(p).Mul(bigSqrt2Pi(), expAt(half, p))
	growth.SetMantExp(growth, -1)
	return growth.Sub(growth, sum)
}

// millsAsymptoticAt is R(x) ~ (1/x)·sum over n of (-1)^n (2n-1)!!/x^(2n) (Abramowitz & Stegun 26.2.12), within 2^(13-p), but not less
// than 2^-485, relative.
//
// Proof note, x >= 26. The series envelops R: its error is below the first term left out. Terms fall while 2n+1 < x², and
// that of n = 338 is at most 675!!/26^676 < 2^-486 of the first. Each term is within 2^(12-p), relative.
func millsAsymptoticAt(x *big.Float, p uint) *big.Float {
	square := at(p).Mul(x, x)
	term, sum, whole := at(p).SetInt64(1), at(p).SetInt64(1), new(big.Float)
	for n := 1.0; n < 338; n++ {
		term.Mul(term, whole.SetFloat64(1-2*n))
		term.Quo(term, square)
		if negligible(term, sum) {
			break
		}
		sum.Add(sum, term)
	}
	return sum.Quo(sum, x)
}

package calibrate

import "math/big"

// asymptoticFrom is the x from which Mills' ratio is summed by its asymptotic series.
const asymptoticFrom = 26

// bigMills is Mills' ratio R(x) = (1 - Phi(x))/phi(x) for 0 <= x, within 2^-450, relative; x is below 2^2000.
func bigMills(x *big.Float) *big.Float {
	if x.Cmp(bigOf(asymptoticFrom)) >= 0 {
		return bigMillsAsymptotic(x)
	}
	return bigMillsSeries(x)
}

// bigMillsSeries is R(x) = sqrt(pi/2)·e^(x²/2) - sum over n >= 0 of x^(2n+1)/(2n+1)!! (Abramowitz & Stegun 26.2.11).
//
// Proof note, 0 <= x < 26. The terms are positive and their sum is below sqrt(pi/2)·e^338 < 2^489. It has fewer than 2^12
// terms, each within 2^-1010, relative, and the exponential is within 2^-970; so the difference is within 2^-480, and
// R(x) > 1/27 (R falls, and R(x) > x/(x²+1)).
func bigMillsSeries(x *big.Float) *big.Float {
	square := newBig().Mul(x, x)
	term := newBig().Set(x)
	sum := newBig().Set(x)
	for n := 3.0; !negligible(term, sum); n += 2 {
		term.Mul(term, square)
		term.Quo(term, bigOf(n))
		sum.Add(sum, term)
	}
	half := square.SetMantExp(square, -1)
	growth := newBig().Mul(bigSqrt2Pi(), bigExp(half))
	growth.SetMantExp(growth, -1)
	return growth.Sub(growth, sum)
}

// bigMillsAsymptotic is R(x) ~ (1/x)·sum over n of (-1)^n (2n-1)!!/x^(2n) (Abramowitz & Stegun 26.2.12).
//
// Proof note, x >= 26. The series envelops R: its error is below the first term left out. Terms fall while 2n+1 < x², and
// that of n = 338 is at most 675!!/26^676 < 2^-486 of the first. Each term is within 2^-1010, relative.
func bigMillsAsymptotic(x *big.Float) *big.Float {
	square := newBig().Mul(x, x)
	term, sum := bigOf(1), bigOf(1)
	for n := 1.0; n < 338; n++ {
		term.Mul(term, bigOf(1-2*n))
		term.Quo(term, square)
		if negligible(term, sum) {
			break
		}
		sum.Add(sum, term)
	}
	return sum.Quo(sum, x)
}

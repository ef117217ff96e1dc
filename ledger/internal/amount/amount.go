// Package amount has the arithmetic of spends: mu squared, exact sums of terms that were rounded up to 256 bits, and the largest epsilon that
// some of it pays for.
package amount

import (
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// Square returns mu squared, exactly.
func Square(mu calibrate.Mu) *big.Float {
	x := new(big.Float).SetFloat64(float64(mu))
	return new(big.Float).SetPrec(106).Mul(x, x)
}

// Left returns of - spent, exactly, or 0 if that is negative.
func Left(of, spent *big.Float) *big.Float {
	if x := Sum(of, new(big.Float).Neg(spent)); x.Sign() > 0 {
		return x
	}
	return new(big.Float)
}

// Sum returns x + y exactly, with as many bits as that takes.
func Sum(x, y *big.Float) *big.Float {
	z := new(big.Float)
	for prec := max(x.Prec(), y.Prec(), 64); ; prec += 64 {
		if z.SetPrec(prec).Add(x, y); z.Acc() == big.Exact {
			return z
		}
	}
}

// Ratio returns x / y as a float64, rounded by mode. x and y are not both 0.
func Ratio(x, y *big.Float, mode big.RoundingMode) float64 {
	f, _ := new(big.Float).SetPrec(53).SetMode(mode).Quo(x, y).Float64() // an infinity or 0 if it is beyond float64's range
	return f
}

// OrZero returns x, or 0 if it is nil.
func OrZero(x *big.Float) *big.Float {
	if x == nil {
		return new(big.Float)
	}
	return x
}

// DigitsToTell returns how many digits show that a and b differ, at least six.
func DigitsToTell(a, b *big.Float) int {
	for _, n := range []int{6, 17, 40} {
		if a.Text('g', n) != b.Text('g', n) {
			return n
		}
	}
	return 80
}

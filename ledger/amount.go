package ledger

import (
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// This file has the arithmetic of spends: mu squared, exact sums of terms that were rounded up to 256 bits, and
// quotients.

// square returns mu squared, exactly.
func square(mu calibrate.Mu) *big.Float {
	x := new(big.Float).SetFloat64(float64(mu))
	return new(big.Float).SetPrec(106).Mul(x, x)
}

// remainder returns of - spent, exactly, or 0 if the difference is negative.
func remainder(of, spent *big.Float) *big.Float {
	if x := sum(of, new(big.Float).Neg(spent)); x.Sign() > 0 {
		return x
	}
	return new(big.Float)
}

// sum returns x + y exactly, with as many bits as the sum takes.
func sum(x, y *big.Float) *big.Float {
	z := new(big.Float)
	for prec := max(x.Prec(), y.Prec(), 64); ; prec += 64 {
		if z.SetPrec(prec).Add(x, y); z.Acc() == big.Exact {
			return z
		}
	}
}

// ratio returns x / y as a float64, rounded by mode. x and y must not both be 0.
func ratio(x, y *big.Float, mode big.RoundingMode) float64 {
	// an infinity or 0 if the quotient is beyond float64's range
	f, _ := new(big.Float).SetPrec(53).SetMode(mode).Quo(x, y).Float64()
	return f
}

// orZero returns x, or 0 if it is nil.
func orZero(x *big.Float) *big.Float {
	if x == nil {
		return new(big.Float)
	}
	return x
}

// digitsToTell returns the number of digits, at least six, with which the decimals of a and b differ.
func digitsToTell(a, b *big.Float) int {
	for _, n := range []int{6, 17, 40} {
		if a.Text('g', n) != b.Text('g', n) {
			return n
		}
	}
	return 80
}

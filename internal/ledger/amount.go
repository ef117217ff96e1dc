package ledger

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// The arithmetic of spends, in units of mu squared. Terms are rounded up to 256 bits when they are computed; their sums
// are exact.

func square(mu calibrate.Mu) *big.Float {
	x := new(big.Float).SetFloat64(float64(mu))
	return new(big.Float).SetPrec(106).Mul(x, x)
}

// remainder returns limit − spent exactly, or 0 if that is negative.
func remainder(limit, spent *big.Float) *big.Float {
	if x := sum(limit, new(big.Float).Neg(spent)); x.Sign() > 0 {
		return x
	}
	return new(big.Float)
}

// sum returns x + y exactly, with as many bits as the result needs.
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
	// f is an infinity or 0 if the quotient is beyond float64's range
	f, _ := new(big.Float).SetPrec(53).SetMode(mode).Quo(x, y).Float64()
	return f
}

func orZero(x *big.Float) *big.Float {
	if x == nil {
		return new(big.Float)
	}
	return x
}

// ratUp returns x rounded up to a float64.
func ratUp(x *big.Rat) float64 {
	f, _ := x.Float64()
	if y := new(big.Rat).SetFloat64(f); y != nil && y.Cmp(x) < 0 {
		return math.Nextafter(f, math.Inf(1))
	}
	return f
}

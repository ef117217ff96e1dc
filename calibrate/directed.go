package calibrate

import (
	"math"
	"math/big"
)

// directedPrec is the precision, in bits, of sums and quotients that are rounded in a known direction.
const directedPrec = 256

// newUp is a zero whose results are rounded up.
func newUp() *big.Float { return new(big.Float).SetPrec(directedPrec).SetMode(big.ToPositiveInf) }

// upOf is x without error; x is not NaN.
func upOf(x float64) *big.Float { return newUp().SetFloat64(x) }

// ceiling is the least float64 that is not below x > 0; +Inf if there is none.
func ceiling(x *big.Float) float64 {
	f, _ := x.Float64()
	if upOf(f).Cmp(x) < 0 {
		return math.Nextafter(f, math.Inf(1))
	}
	return f
}

// rootCeiling is the least float64 whose square is not below x >= 0; +Inf if there is none.
//
// Proof note. A candidate is accepted by comparing its square, which has at most 106 bits and is exact, with x. Two
// places beside the rounded root hold the answer, since big.Float.Sqrt is within a few units of its last place.
func rootCeiling(x *big.Float) float64 {
	f := ceiling(newUp().Sqrt(x))
	if below := math.Nextafter(f, 0); covers(below, x) {
		return below
	}
	for !covers(f, x) {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}

// covers says whether f² >= x, exactly; +Inf covers everything.
func covers(f float64, x *big.Float) bool {
	square := upOf(f)
	return square.Mul(square, square).Cmp(x) >= 0
}

// exactSum is x + y without error, for finite x, y >= 0.
func exactSum(x, y *big.Float) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 {
		return new(big.Float).Add(x, y)
	}
	top := max(x.MantExp(nil), y.MantExp(nil)) + 1
	bottom := min(x.MantExp(nil)-int(x.MinPrec()), y.MantExp(nil)-int(y.MinPrec()))
	return new(big.Float).SetPrec(uint(top-bottom)).Add(x, y)
}

package numeric

import (
	"math"
	"math/big"
)

// Every number that decides how much noise is drawn is rounded towards more noise. Sums and quotients of a few float64s
// are computed in 256 bits, rounded up at each step, and then rounded up to a float64 (NewUp, Ceiling). Closed forms
// are computed with a relative error below 2^-100. They are first moved to the safe side by more than this error, and
// then rounded (RoundedUp, RoundedDown).

// directedPrec is the precision, in bits, of sums and quotients whose steps are rounded in a known direction.
const directedPrec = 256

// NewUp returns 0 as a big.Float whose operations round up.
func NewUp() *big.Float { return new(big.Float).SetPrec(directedPrec).SetMode(big.ToPositiveInf) }

// UpOf returns x, exactly, as a big.Float whose operations round up; x is not NaN.
func UpOf(x float64) *big.Float { return NewUp().SetFloat64(x) }

// Ceiling returns the least float64 that is at least x > 0, or +Inf if there is none.
func Ceiling(x *big.Float) float64 {
	f, _ := x.Float64()
	if UpOf(f).Cmp(x) < 0 {
		return math.Nextafter(f, math.Inf(1))
	}
	return f
}

// RootCeiling returns the least float64 whose square is at least x >= 0, or +Inf if there is none.
//
// Proof note. A candidate is accepted if its square is at least x; the square has at most 106 bits and is exact.
// big.Float.Sqrt is wrong by at most a few units of its last place. So the answer is within two float64s of the rounded
// root.
func RootCeiling(x *big.Float) float64 {
	f := Ceiling(NewUp().Sqrt(x))
	if below := math.Nextafter(f, 0); SquareCovers(below, x) {
		return below
	}
	for !SquareCovers(f, x) {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}

// SquareCovers reports whether f² >= x, exactly. For f = +Inf it returns true.
func SquareCovers(f float64, x *big.Float) bool {
	square := UpOf(f)
	return square.Mul(square, square).Cmp(x) >= 0
}

// ExactSum returns x + y without error, for finite x, y >= 0.
func ExactSum(x, y *big.Float) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 {
		return new(big.Float).Add(x, y)
	}
	top := max(x.MantExp(nil), y.MantExp(nil)) + 1
	bottom := min(x.MantExp(nil)-int(x.MinPrec()), y.MantExp(nil)-int(y.MinPrec()))
	return new(big.Float).SetPrec(uint(top-bottom)).Add(x, y)
}

// closedSlack is an exponent of two: before the value of a closed form is rounded up, it is raised by 2^closedSlack,
// relative. This exceeds the value's error.
const closedSlack = -100

// RoundedUp returns a float64 that is at least the exact value of x > 0, or +Inf if there is none. The relative error
// of x is below 2^closedSlack.
func RoundedUp(x *big.Float) float64 {
	return Ceiling(NewBig().Add(x, NewBig().SetMantExp(x, closedSlack)))
}

// RoundedDown returns a float64 that is at most the exact value of x >= 0. The relative error of x is below
// 2^closedSlack.
func RoundedDown(x *big.Float) float64 {
	low := NewBig().Sub(x, NewBig().SetMantExp(x, closedSlack))
	f, _ := low.Float64()
	if math.IsInf(f, 0) {
		return math.MaxFloat64
	}
	if BigOf(f).Cmp(low) > 0 {
		return math.Nextafter(f, 0)
	}
	return f
}

// ProbabilityUp returns the probability x rounded up, at most 1.
func ProbabilityUp(x *big.Float) float64 {
	if x.Sign() == 0 {
		return 0
	}
	return math.Min(RoundedUp(x), 1)
}

// WithSlack raises x, a difference, by 2^-200 times the number that was subtracted. This exceeds the error of x even if
// digits cancelled in the difference.
func WithSlack(x, subtracted *big.Float) *big.Float {
	return NewBig().Add(x, NewBig().SetMantExp(NewBig().Abs(subtracted), -200))
}

// CeilingOfRatio returns x/y, rounded up.
func CeilingOfRatio(x *big.Float, y float64) float64 { return Ceiling(NewUp().Quo(x, UpOf(y))) }

// Smaller returns the smaller of x and y.
func Smaller(x, y *big.Float) *big.Float {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// Capped returns the smaller of t and 2^20. From 2^20 on, e^-t is below every float64.
func Capped(t *big.Float) *big.Float { return Smaller(t, BigPow2(20)) }

// FloorLog2 returns the exponent of the largest power of two that is not above x > 0.
func FloorLog2(x float64) int {
	_, e := math.Frexp(x)
	return e - 1
}

// CeilLog2 returns the exponent of the least power of two that is not below x > 0.
func CeilLog2(x float64) int {
	f, e := math.Frexp(x)
	if f == 0.5 {
		return e - 1
	}
	return e
}

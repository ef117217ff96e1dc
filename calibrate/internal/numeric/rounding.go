package numeric

import (
	"math"
	"math/big"
)

// Every value on the privacy path is rounded towards more noise. Sums and quotients of a few float64s are computed in
// 256 bits, rounded up at each step, and then rounded up to a float64 (NewUp, Ceiling). Closed forms are known within
// 2^-100; they are first moved to the safe side by more than their error (RoundedUp, RoundedDown).

// directedPrec is the precision, in bits, of sums and quotients that are rounded in a known direction.
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
// Proof note. A candidate is accepted if its square, which has at most 106 bits and is exact, is at least x.
// big.Float.Sqrt is within a few units of its last place, so the answer is within two places of the rounded root.
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

// SquareCovers reports whether f² >= x, exactly. +Inf covers everything.
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

// closedSlack is the exponent of the relative amount by which the value of a closed form is raised before it is rounded
// up. It exceeds the value's error.
const closedSlack = -100

// RoundedUp returns the least float64 that is not below the exact value of x > 0, which is known within 2^closedSlack,
// or +Inf if there is none.
func RoundedUp(x *big.Float) float64 {
	return Ceiling(NewBig().Add(x, NewBig().SetMantExp(x, closedSlack)))
}

// RoundedDown returns a float64 that is not above the exact value of x >= 0, which is known within 2^closedSlack.
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

// ProbabilityUp returns x, a probability, rounded up to at most 1.
func ProbabilityUp(x *big.Float) float64 {
	if x.Sign() == 0 {
		return 0
	}
	return math.Min(RoundedUp(x), 1)
}

// WithSlack raises the difference x by 2^-200 of the number that was subtracted. This exceeds the error of x if the
// difference cancelled.
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

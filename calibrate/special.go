package calibrate

import (
	"math"
	"math/big"
)

// What is here is for users of the package and for steering; bounds on which safety rests are worked out in extended
// precision (bigMills, bigInvErfc).

// invSqrtPi2 is sqrt(2/pi) and sqrt2 is sqrt(2), as double-doubles within 2^-106, relative.
var (
	invSqrtPi2 = invSqrt2Pi.scale(2)
	sqrt2      = dd{math.Sqrt2, -0x1.bdd3413b26456p-54}
)

// Erfcx is the scaled complementary error function e^(x²)·erfc(x), within one unit in the last place. Errors are
// *ArgumentError: x is NaN or infinite, or so negative (below about -26.6) that the result is above every float64.
func Erfcx(x float64) (float64, error) {
	if err := finite("x", x); err != nil {
		return 0, err
	}
	const far = 0x1p90 // from here 1/(x·sqrt(pi)) is exact to 2^-181
	w := wide{}
	switch {
	case x >= far:
		w = wide{dd{1, 0}.div(sqrt2), 0}.mul(wide{invSqrtPi2, 0}).normal().div(wideOf(x))
	case x >= 0:
		w = wide{erfcx(x), 0}.normal()
	case x < -27:
		return 0, argument("x", "= %g has an erfcx above the largest float64", x)
	default:
		w = growth(x)
	}
	if f := w.near(); !math.IsInf(f, 0) {
		return f, nil
	}
	return 0, argument("x", "= %g has an erfcx above the largest float64", x)
}

// erfcx is sqrt(2/pi)·R(sqrt(2)·x) for x in [0, 2^90], within 2^-94, relative.
func erfcx(x float64) dd { return mills(sqrt2.mulFloat(x)).mul(invSqrtPi2) }

// growth is erfcx for x in [-27, 0]: 2·e^(x²) - erfcx(-x), whose second term is below 2^-80 of the first from x² = 64.
func growth(x float64) wide {
	square := twoProd(x, x)
	w := wide{dd{2, 0}, 0}.div(expNeg(square).normal())
	if square.hi >= 64 {
		return w
	}
	return wide{w.plain().sub(erfcx(-x)), 0}.normal()
}

// LogErfc is the natural logarithm of erfc(x), within 2^-50, relative, also if erfc itself is below every float64.
// Errors are *ArgumentError: x is NaN or infinite, or above 1.3e154, if the result would be below every float64.
func LogErfc(x float64) (float64, error) {
	if err := finite("x", x); err != nil {
		return 0, err
	}
	switch {
	case x < 0.5:
		return math.Log1p(-math.Erf(x)), nil
	case x > 1.3e154:
		return 0, argument("x", "= %g has an erfc whose logarithm is below the least float64", x)
	}
	e, err := Erfcx(x)
	return math.Log(e) - x*x, err
}

// InvErfc is x with erfc(x) = p, the nearest float64 or a neighbour: also if p is very small, or near 1 or 2. Errors
// are *ArgumentError: p is not in (0, 2).
func InvErfc(p float64) (float64, error) {
	if !(p > 0 && p < 2) {
		return 0, argument("p", "must be above 0 and below 2, not %g", p)
	}
	return nearestFloat(bigInvErfc(bigOf(p))), nil
}

// InvErf is x with erf(x) = q, the nearest float64 or a neighbour. Errors are *ArgumentError: q is not in (-1, 1).
func InvErf(q float64) (float64, error) {
	if !(q > -1 && q < 1) {
		return 0, argument("q", "must be above -1 and below 1, not %g", q)
	}
	return nearestFloat(bigInvErf(bigOf(q))), nil
}

func nearestFloat(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

func finite(name string, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return argument(name, "must be finite, not %g", x)
	}
	return nil
}

package numeric

import "math"

// erfcx(x) = e^(x²)·erfc(x) in float64, computed from Mills' ratio in double-double. The iterations for the inverses of
// erf and erfc start from it.

// invSqrtPi2 is sqrt(2/pi) and sqrt2 is sqrt(2), with relative errors below 2^-106.
var (
	invSqrtPi2 = invSqrt2Pi.scale(2)
	sqrt2      = dd{math.Sqrt2, -0x1.bdd3413b26456p-54}
)

// Erfcx returns e^(x²)·erfc(x) for finite x, with an error of at most one unit in the last place, or +Inf if the value
// is above every float64.
func Erfcx(x float64) float64 {
	const far = 0x1p90 // from this x on, the relative error of 1/(x·sqrt(pi)) is below 2^-181
	switch {
	case x >= far:
		return wide{dd{1, 0}.div(sqrt2), 0}.mul(wide{invSqrtPi2, 0}).normal().div(wideOf(x)).approximate()
	case x >= 0:
		return wide{erfcxDD(x), 0}.normal().approximate()
	case x < -27:
		return math.Inf(1)
	}
	return growth(x).approximate()
}

// erfcxDD returns sqrt(2/pi)·R(sqrt(2)·x) for x in [0, 2^90], with a relative error below 2^-94.
func erfcxDD(x float64) dd { return mills(sqrt2.mulFloat(x)).mul(invSqrtPi2) }

// growth returns erfcx(x) for x in [-27, 0]: 2·e^(x²) - erfcx(-x). From x² = 64 on, the second term is below 2^-80
// times the first and is omitted.
func growth(x float64) wide {
	square := twoProd(x, x)
	w := wide{dd{2, 0}, 0}.div(expNeg(square).normal())
	if square.hi >= 64 {
		return w
	}
	return wide{w.asDD().sub(erfcxDD(-x)), 0}.normal()
}

// LogErfc returns the natural logarithm of erfc(x), even if erfc(x) is below every float64, with a relative error below
// 2^-50. It returns -Inf if the logarithm, too, is below every float64.
func LogErfc(x float64) float64 {
	if x < 0.5 {
		return math.Log1p(-math.Erf(x))
	}
	return math.Log(Erfcx(x)) - x*x
}

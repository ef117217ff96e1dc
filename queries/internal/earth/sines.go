package earth

import "math"

// Sines and cosines
//
// Positions must be the same numbers on every processor, and in databases that compute them by the same [Formula]. So
// each step is a single operation (+, -, *, /, or a root) that is rounded, in a fixed order: conversions to float64
// keep the compiler from fusing a product and a sum, and package math is not used because its results differ between
// processors. The method is Moshier's (Cephes, 1992): subtract a multiple of pi/2 from the angle, in three parts, and
// evaluate a polynomial at the rest.

const (
	degree    = math.Pi / 180
	least     = 0x1p-100
	perRadian = 4 / math.Pi
	quarterA  = 7.85398125648498535156e-1
	quarterB  = 3.77489470793079817668e-8
	quarterC  = 2.69515142907905952645e-15
)

var (
	sinCoefficients = [6]float64{1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1}
	cosCoefficients = [6]float64{-1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2}
)

// sincos returns the sine and the cosine of an angle between -pi and pi, in radians.
func sincos(x float64) (sin, cos float64) {
	negative := x < 0
	if negative {
		x = -x
	}
	times := 0.0
	switch turns := float64(x * perRadian); {
	case turns >= 3:
		times = 4
	case turns >= 1:
		times = 2
	}
	z := float64(float64(x-float64(times*quarterA))-float64(times*quarterB)) - float64(times*quarterC)
	zz := float64(z * z)
	cos = float64(1-float64(0.5*zz)) + float64(float64(zz*zz)*polynomial(&cosCoefficients, zz))
	sin = z + float64(float64(z*zz)*polynomial(&sinCoefficients, zz))
	switch times {
	case 2:
		sin, cos = cos, -sin
	case 4:
		sin, cos = -sin, -cos
	}
	if negative {
		sin = -sin
	}
	return sin, cos
}

func polynomial(c *[6]float64, x float64) float64 {
	y := float64(c[0]*x) + c[1]
	y = float64(y*x) + c[2]
	y = float64(y*x) + c[3]
	y = float64(y*x) + c[4]
	return float64(y*x) + c[5]
}

// radians converts degrees to radians.
func radians(degrees float64) float64 {
	if -least < degrees && degrees < least {
		return 0
	}
	return float64(degrees * degree)
}

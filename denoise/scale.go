package denoise

import "math"

// farthest is the largest absolute value that is denoised, in standard deviations of the noise. Compared with a larger
// value, the noise is too small to matter.
const farthest = 0x1p300

// scaled is a vector in a unit in which no value overflows and no significant digit underflows. The unit is a power of
// two times the query's unit, so conversion is exact.
type scaled struct {
	y        []float64
	s        float64 // in [1, 2)
	exponent int
}

// rescale converts y and s to the unit of scaled. ok is false if a value of y is too large to be denoised.
func rescale(y []float64, s float64) (v scaled, ok bool) {
	fraction, exponent := math.Frexp(s)
	v = scaled{make([]float64, len(y)), 2 * fraction, exponent - 1}
	for i := range y {
		v.y[i] = v.toScaled(y[i])
	}
	return v, maxAbs(v.y) <= farthest
}

// toScaled converts a number from the query's unit to v's unit.
func (v scaled) toScaled(x float64) float64 { return math.Ldexp(x, -v.exponent) }

// fromScaled converts a number from v's unit to the query's unit, and makes it finite (see publishable).
func (v scaled) fromScaled(x float64) float64 { return publishable(math.Ldexp(x, v.exponent)) }

// restore converts estimates to the query's unit, in place.
func (v scaled) restore(f Fit) Fit {
	for i, x := range f.X {
		f.X[i] = v.fromScaled(x)
	}
	return f
}

// unchanged returns the noisy values themselves as a fit.
func unchanged(y []float64) Fit { return Fit{X: scale(y, 1), DF: float64(len(y))} }

// fitScaled calls f with y in a unit in which arithmetic cannot overflow, and converts the result back. If a value of y
// is too large, it returns y unchanged.
func fitScaled(y []float64, s float64, f func(scaled) Fit) Fit {
	v, ok := rescale(y, s)
	if !ok || len(y) == 0 {
		return unchanged(y)
	}
	return v.restore(f(v))
}

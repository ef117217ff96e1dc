package denoise

import "math"

// farthest is how many standard deviations from 0 a vector may reach before the noise is too small to be seen beside it.
const farthest = 0x1p300

// scaled is a vector in a unit in which nothing overflows and nothing that matters vanishes: a power of two times the
// query's, so that no digit changes.
type scaled struct {
	y        []float64
	s        float64 // in [1, 2)
	exponent int
}

// rescale returns y and s in such a unit; ok is false if y reaches too far to be denoised at all.
func rescale(y []float64, s float64) (v scaled, ok bool) {
	fraction, exponent := math.Frexp(s)
	v = scaled{make([]float64, len(y)), 2 * fraction, exponent - 1}
	for i := range y {
		v.y[i] = v.in(y[i])
	}
	return v, maxAbs(v.y) <= farthest
}

func (v scaled) in(x float64) float64 { return math.Ldexp(x, -v.exponent) }

func (v scaled) out(x float64) float64 { return publishable(math.Ldexp(x, v.exponent)) }

// restore brings estimates back into the query's unit, in place.
func (v scaled) restore(f Fit) Fit {
	for i, x := range f.X {
		f.X[i] = v.out(x)
	}
	return f
}

// unchanged is the fit of the noisy values themselves.
func unchanged(y []float64) Fit { return Fit{X: scale(y, 1), DF: float64(len(y))} }

// fitScaled calls f in a unit if its arithmetic is safe; a vector that reaches too far stays as it is.
func fitScaled(y []float64, s float64, f func(scaled) Fit) Fit {
	v, ok := rescale(y, s)
	if !ok || len(y) == 0 {
		return unchanged(y)
	}
	return v.restore(f(v))
}

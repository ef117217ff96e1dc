package calibrate

import "math"

// wide is m * 2^e: a positive double-double with its own exponent, so that nothing underflows on the way. It is
// normalised when m.hi is in [1/2, 1); zero has m.hi = 0.
type wide struct {
	m dd
	e int
}

// wideOf is x, without error, for any finite x >= 0.
func wideOf(x float64) wide {
	f, e := math.Frexp(x)
	return wide{dd{f, 0}, e}
}

// normal is w, normalised, without error.
func (w wide) normal() wide {
	f, e := math.Frexp(w.m.hi)
	return wide{dd{f, math.Ldexp(w.m.lo, -e)}, w.e + e}
}

func (w wide) mul(v wide) wide { return wide{w.m.mul(v.m), w.e + v.e}.normal() }

func (w wide) div(v wide) wide { return wide{w.m.div(v.m), w.e - v.e}.normal() }

// plain is w as a double-double. The exponent must be between -400 and 400.
func (w wide) plain() dd { return w.m.scale(math.Ldexp(1, w.e)) }

// near is w as the nearest float64, or a neighbour of it: for steering only.
func (w wide) near() float64 { return math.Ldexp(w.m.hi, w.e) }

// above says whether w > x, exactly. Both are positive; w is normalised.
func (w wide) above(x float64) bool {
	v := wideOf(x)
	switch {
	case math.IsInf(x, 1):
		return false
	case x == 0 || w.e-v.e > 1:
		return true
	case w.e-v.e < -1:
		return false
	}
	return v.m.less(w.m.scale(math.Ldexp(1, w.e-v.e)))
}

// roundUp is the least float64 that is not below w; +Inf if there is none.
func (w wide) roundUp() float64 {
	f := w.near()
	if w.above(f) {
		return math.Nextafter(f, math.Inf(1))
	}
	return f
}

// roundDown is the largest float64 not above w, or its lower neighbour if w is that float64.
func (w wide) roundDown() float64 {
	f := math.Min(w.near(), math.MaxFloat64)
	if w.above(f) {
		return f
	}
	return math.Nextafter(f, 0)
}

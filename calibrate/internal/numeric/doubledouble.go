package numeric

import (
	"math"
	"math/big"
)

// dd is a double-double: the number hi + lo, kept as two float64s, with |lo| at most half a unit in the last place of
// hi.
//
// Proof note. The algorithms and their bounds are from Joldes, Muller and Popescu, "Tight and rigorous error bounds for
// basic building blocks of double-word arithmetic" (ACM TOMS 44, 2017), with u = 2^-53: add 3u²/(1-4u) (Algorithm 6),
// mul 4u² (Algorithm 12), mulFloat 2u² (Algorithm 9), div 15u² + 56u³ (Algorithm 17). So the relative error of every
// operation is at most 2^-102, and at most 2^-104 for add and mul. These bounds hold if no product underflows. Callers
// ensure this: all numbers are 0 or between 2^-900 and 2^900 in absolute value. Products are converted to float64
// explicitly, so that no compiler fuses them with an addition. Fusing happens only in math.FMA.
type dd struct{ hi, lo float64 }

// twoSum returns a + b without error.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum returns a + b without error, if |a| >= |b| or a = 0.
func fastTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoProd returns a * b without error.
func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (x dd) add(y dd) dd {
	s, t := twoSum(x.hi, y.hi), twoSum(x.lo, y.lo)
	v := fastTwoSum(s.hi, s.lo+t.hi)
	return fastTwoSum(v.hi, t.lo+v.lo)
}

// addSmall returns x + y for |y| <= |x|/4, with a relative error of 4.5u² < 2^-103. The error comes from the roundings
// of x.lo + y.lo (1.25u²·|x.hi|) and of the sum of the three low components (2.7u²·|x+y|).
func (x dd) addSmall(y dd) dd {
	s := fastTwoSum(x.hi, y.hi)
	return fastTwoSum(s.hi, s.lo+(x.lo+y.lo))
}

func (x dd) neg() dd { return dd{-x.hi, -x.lo} }

func (x dd) sub(y dd) dd { return x.add(y.neg()) }

func (x dd) mul(y dd) dd {
	c := twoProd(x.hi, y.hi)
	t := math.FMA(x.lo, y.hi, math.FMA(x.hi, y.lo, float64(x.lo*y.lo)))
	return fastTwoSum(c.hi, c.lo+t)
}

func (x dd) mulFloat(y float64) dd {
	c := twoProd(x.hi, y)
	return fastTwoSum(c.hi, math.FMA(x.lo, y, c.lo))
}

func (x dd) div(y dd) dd {
	q := float64(x.hi / y.hi)
	r := y.mulFloat(q)
	d := float64((x.hi-r.hi)+(x.lo-r.lo)) / y.hi
	return fastTwoSum(q, float64(d))
}

// scale returns x·s, exactly; s must be a power of two.
func (x dd) scale(s float64) dd { return dd{float64(x.hi * s), float64(x.lo * s)} }

// less reports whether x < y, exactly.
func (x dd) less(y dd) bool {
	return x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo)
}

// wide is m·2^e: a positive double-double with its own exponent, so that no intermediate value underflows. It is
// normalised if m.hi is in [1/2, 1). Zero has m.hi = 0.
type wide struct {
	m dd
	e int
}

// wideOf returns x without error, for any finite x >= 0.
func wideOf(x float64) wide {
	f, e := math.Frexp(x)
	return wide{dd{f, 0}, e}
}

// normal returns w in normalised form, exactly.
func (w wide) normal() wide {
	f, e := math.Frexp(w.m.hi)
	return wide{dd{f, math.Ldexp(w.m.lo, -e)}, w.e + e}
}

func (w wide) mul(v wide) wide { return wide{w.m.mul(v.m), w.e + v.e}.normal() }

func (w wide) div(v wide) wide { return wide{w.m.div(v.m), w.e - v.e}.normal() }

// asDD returns w as a double-double. The exponent must be between -400 and 400.
func (w wide) asDD() dd { return w.m.scale(math.Ldexp(1, w.e)) }

// approximate returns the float64 nearest to w, or a neighbour of it. It is precise enough for a solver, not for a
// proof.
func (w wide) approximate() float64 { return math.Ldexp(w.m.hi, w.e) }

// exceeds reports whether w > x, exactly. Both must be positive, and w normalised.
func (w wide) exceeds(x float64) bool {
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

// roundUp returns the least float64 that is at least w, or +Inf if there is none.
func (w wide) roundUp() float64 {
	f := w.approximate()
	if w.exceeds(f) {
		return math.Nextafter(f, math.Inf(1))
	}
	return f
}

// roundDown returns the largest float64 below w.
func (w wide) roundDown() float64 {
	f := math.Min(w.approximate(), math.MaxFloat64)
	if w.exceeds(f) {
		return f
	}
	return math.Nextafter(f, 0)
}

// widen returns w·(1 + by), with a relative error below 2^-103.
func (w wide) widen(by float64) wide {
	return wide{w.m.add(w.m.mulFloat(by)), w.e}.normal()
}

// big returns w without error.
func (w wide) big() *big.Float {
	s := NewBig().Add(BigOf(w.m.hi), BigOf(w.m.lo))
	return s.SetMantExp(s, w.e)
}

// wideOfBig returns x >= 0 as a wide, with a relative error below 2^-106.
func wideOfBig(x *big.Float) wide {
	m := NewBig()
	e := x.MantExp(m)
	return wide{ddOfBig(m), e}.normal()
}

// ddOfBig returns x as a double-double, with a relative error below 2^-106.
func ddOfBig(x *big.Float) dd {
	hi, _ := x.Float64()
	rest := NewBig().Sub(x, BigOf(hi))
	lo, _ := rest.Float64()
	return dd{hi, lo}
}

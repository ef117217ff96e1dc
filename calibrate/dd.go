package calibrate

import "math"

// dd is a double-double: the unevaluated sum hi + lo, with |lo| at most half a unit in the last place of hi.
//
// Proof note. The algorithms and their bounds are those of Joldes, Muller and Popescu, "Tight and rigorous error bounds
// for basic building blocks of double-word arithmetic" (ACM TOMS 44, 2017), with u = 2^-53: add 3u²/(1-4u) (Algorithm 6),
// mul 4u² (Algorithm 12), mulFloat 2u² (Algorithm 9), div 15u² + 56u³ (Algorithm 17). Every operation is therefore within
// 2^-102 of the exact result of its operands, relative, and within 2^-104 for add and mul. This needs that no product
// underflows, which callers ensure: magnitudes are zero or stay between 2^-900 and 2^900. Products are converted to
// float64 explicitly, so that no compiler fuses them with an addition; if math.FMA is written, fusing is meant.
type dd struct{ hi, lo float64 }

// twoSum is a + b without error.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum is a + b without error, if |a| >= |b| or a = 0.
func fastTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoProd is a * b without error.
func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (x dd) add(y dd) dd {
	s, t := twoSum(x.hi, y.hi), twoSum(x.lo, y.lo)
	v := fastTwoSum(s.hi, s.lo+t.hi)
	return fastTwoSum(v.hi, t.lo+v.lo)
}

// addSmall is x + y for |y| <= |x|/4, within 4.5u² < 2^-103: the roundings of x.lo + y.lo (1.25u²·|x.hi|) and of the sum
// of the three low parts (2.7u²·|x+y|).
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

// scale multiplies by s, a power of two: exact.
func (x dd) scale(s float64) dd { return dd{float64(x.hi * s), float64(x.lo * s)} }

// less compares exactly.
func (x dd) less(y dd) bool {
	return x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo)
}

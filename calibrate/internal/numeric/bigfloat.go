package numeric

import (
	"math"
	"math/big"
	"sync"
)

// Elementary functions of big.Float, with proven errors: pi, ln 2, exp, ln, and 1 - e^-t and ln(1 - d) without
// cancellation. Each sums a series until the terms no longer change the sum.

// Precisions of the extended evaluation, in bits. An operation in p bits has a relative error of at most 2^(1-p).
// BigPrec is for deciding whether an answer is safe. ShortPrec is for closed forms, because their results are raised by
// far more than their error.
const (
	BigPrec   = 1024
	ShortPrec = 256
)

// NewBig returns 0 in the extended precision.
func NewBig() *big.Float { return new(big.Float).SetPrec(BigPrec) }

// BigOf returns x, exactly; x must be finite.
func BigOf(x float64) *big.Float { return NewBig().SetFloat64(x) }

// BigPow2 returns 2^n.
func BigPow2(n int) *big.Float { return NewBig().SetMantExp(BigOf(1), n) }

// newFloat returns 0 in a precision of p bits.
func newFloat(p uint) *big.Float { return new(big.Float).SetPrec(p) }

// negligible reports whether term is too small to change sum, that is, below 2^-8 units of its last bit.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(sum.Prec())-8
}

// bigPi is pi by Machin's formula, 16 atan(1/5) - 4 atan(1/239), with a relative error below 2^-1010.
var bigPi = sync.OnceValue(func() *big.Float {
	a := NewBig().Mul(BigOf(16), atanInverse(5))
	b := NewBig().Mul(BigOf(4), atanInverse(239))
	return a.Sub(a, b)
})

// atanInverse returns atan(1/n) by its Taylor series, whose terms alternate and fall.
func atanInverse(n float64) *big.Float {
	power := NewBig().Quo(BigOf(1), BigOf(n))
	square := BigOf(n * n)
	sum := NewBig().Set(power)
	for k := 1.0; ; k++ {
		power.Quo(power, square)
		term := NewBig().Quo(power, BigOf(2*k+1))
		if negligible(term, sum) {
			return sum
		}
		if int(k)%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
}

// bigSqrt2Pi is sqrt(2 pi), with a relative error below 2^-1008.
var bigSqrt2Pi = sync.OnceValue(func() *big.Float {
	two := NewBig().Mul(BigOf(2), bigPi())
	return NewBig().Sqrt(two)
})

// BigExp returns e^t for |t| <= 2^13, with a relative error below 2^-970.
func BigExp(t *big.Float) *big.Float { return ExpAt(t, BigPrec) }

// ExpAt returns e^t for |t| <= 2^13, computed in p bits with a relative error below 2^(54-p).
//
// Proof note. Rounding t costs at most 2^(13-p). With s = t/2^32, |s| <= 2^-19, so the series has fewer than 2^6 terms
// and an error below 2^(10-p). Then 32 squarings each double the relative error and add 2^(1-p). The final error is
// below 2^32·2^(11-p).
func ExpAt(t *big.Float, p uint) *big.Float {
	s := newFloat(p).SetMantExp(t, -32)
	sum, term, whole := newFloat(p).SetInt64(1), newFloat(p).SetInt64(1), new(big.Float)
	for n := 1.0; !negligible(term, sum); n++ {
		term.Mul(term, s)
		term.Quo(term, whole.SetFloat64(n))
		sum.Add(sum, term)
	}
	for range 32 {
		sum.Mul(sum, sum)
	}
	return sum
}

// BigLn returns the natural logarithm of x > 0, with a relative error below 2^-1000.
func BigLn(x *big.Float) *big.Float { return LnAt(x, BigPrec) }

// LnAt returns the natural logarithm of x > 0, computed in p bits with a relative error below 2^(24-p). x has at most
// BigPrec bits.
//
// Proof note. x = m·2^e with m in [0.7, 1.42]. m - 1 has only its own rounding error. So z = (m-1)/(m+1), and the
// series of 2·atanh(z), have relative errors below 2^(14-p), even if x is near 1 and e = 0: all terms of the series
// have one sign, and each is at most 0.03 times the one before. If e is not 0, |ln m| < 0.36 and |e|·ln 2 >= 0.69, so
// the sum loses less than two bits.
func LnAt(x *big.Float, p uint) *big.Float {
	m := NewBig()
	e := NewBig().Set(x).MantExp(m)
	if m.Cmp(BigOf(math.Sqrt2/2)) < 0 {
		m.SetMantExp(m, 1)
		e--
	}
	z := newFloat(p).Quo(newFloat(p).Sub(m, BigOf(1)), newFloat(p).Add(m, BigOf(1)))
	sum := bigAtanh(z)
	sum.SetMantExp(sum, 1)
	return sum.Add(sum, newFloat(p).Mul(BigOf(float64(e)), bigLn2()))
}

// bigLn2 is ln 2 = 2·atanh(1/3).
var bigLn2 = sync.OnceValue(func() *big.Float {
	s := bigAtanh(NewBig().Quo(BigOf(1), BigOf(3)))
	return s.SetMantExp(s, 1)
})

// bigAtanh returns atanh(z) for |z| <= 1/3 by its Taylor series, in z's precision.
func bigAtanh(z *big.Float) *big.Float {
	p := z.Prec()
	sum, power, term, whole := newFloat(p).Set(z), newFloat(p).Set(z), newFloat(p), new(big.Float)
	square := newFloat(p).Mul(z, z)
	for k := 3.0; ; k += 2 {
		power.Mul(power, square)
		term.Quo(power, whole.SetFloat64(k))
		if negligible(term, sum) {
			return sum
		}
		sum.Add(sum, term)
	}
}

// BigExpm1 returns e^t - 1 for |t| <= 1/2, with a relative error below 2^(24-p); p is the precision of t.
//
// Proof note. From the second on, each term is at most a quarter of the one before, and the first exceeds the sum of
// the others: |sum| >= |t|/2. So roundings of 2^(1-p) in fewer than 2^8 terms cost less than 2^(12-p).
func BigExpm1(t *big.Float) *big.Float {
	p := t.Prec()
	sum, term, whole := newFloat(p).Set(t), newFloat(p).Set(t), new(big.Float)
	for n := 2.0; !negligible(term, sum); n++ {
		term.Mul(term, t)
		term.Quo(term, whole.SetFloat64(n))
		sum.Add(sum, term)
	}
	return sum
}

// NegLogOneLess returns -ln(1 - d) for d in [0, 1), with a relative error below 2^-960. For d <= 1/2 it is
// 2·atanh(d/(2-d)), in which no digits cancel.
func NegLogOneLess(d *big.Float) *big.Float {
	if d.Sign() == 0 {
		return NewBig()
	}
	if d.Cmp(BigOf(0.5)) > 0 {
		l := BigLn(NewBig().Sub(BigOf(1), d))
		return l.Neg(l)
	}
	s := bigAtanh(NewBig().Quo(d, NewBig().Sub(BigOf(2), d)))
	return s.SetMantExp(s, 1)
}

// OneLessExp returns 1 - e^-|t| for |t| < 2^30, with a relative error below 2^-960.
func OneLessExp(t *big.Float) *big.Float {
	t = NewBig().Abs(t)
	t.Neg(t)
	if t.Cmp(BigOf(-0.5)) > 0 {
		s := BigExpm1(t)
		return s.Neg(s)
	}
	s := BigExpFar(t)
	return s.Sub(BigOf(1), s)
}

// BigExpFar returns e^t for |t| < 2^30, with a relative error below 2^-940. It subtracts a multiple n·ln 2 from t; the
// error of n·ln 2 is below 2^30·2^-1000.
func BigExpFar(t *big.Float) *big.Float {
	ratio := NearestFloat(NewBig().Quo(t, bigLn2()))
	n := math.Round(ratio)
	rest := NewBig().Sub(t, NewBig().Mul(BigOf(n), bigLn2()))
	e := BigExp(rest)
	return e.SetMantExp(e, int(n))
}

// NearestFloat returns the float64 nearest to x.
func NearestFloat(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

package main

import (
	"math"
	"math/big"
)

// Exact arithmetic: numbers have some hundred digits, so the printed digits are certain. Only math/big is used.

// digits is the precision of numbers, in bits.
const digits = 256

// farthest is the number of standard deviations up to which a tail is computed. Beyond it, a tail is below 10^-780, and
// a tiny positive number is used.
const farthest = 60

func number(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

func zero(prec uint) *big.Float { return new(big.Float).SetPrec(prec) }

// exp returns e^x, by the series of x / 2^k.
func exp(x *big.Float) *big.Float {
	const more = 80
	prec := x.Prec() + more
	k := max(0, x.MantExp(nil)+8)
	small := zero(prec).SetMantExp(zero(prec).Set(x), -k)
	term, sum := zero(prec).SetInt64(1), zero(prec).SetInt64(1)
	for i := int64(1); i < 5000; i++ {
		term.Mul(term, small).Quo(term, zero(prec).SetInt64(i))
		if term.Sign() == 0 || term.MantExp(nil) < -int(prec) {
			break
		}
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum.SetPrec(x.Prec())
}

// log returns the natural logarithm of x > 0, by Newton's method on exp.
func log(x *big.Float) *big.Float {
	mantissa := zero(digits)
	exponent := x.MantExp(mantissa)
	f, _ := mantissa.Float64()
	y := number(math.Log(f) + float64(exponent)*math.Ln2)
	for range 5 { // y += 2·(x - e^y) / (x + e^y)
		e := exp(y)
		step := zero(digits).Quo(zero(digits).Sub(x, e), zero(digits).Add(x, e))
		y.Add(y, step.Add(step, step))
	}
	return y
}

// circle caches pi by its precision in bits.
var circle = map[uint]*big.Float{}

// pi returns π to prec bits, by Machin's formula: 16·atan(1/5) - 4·atan(1/239).
func pi(prec uint) *big.Float {
	if known := circle[prec]; known != nil {
		return zero(prec).Set(known)
	}
	atan := func(n int64) *big.Float {
		term := zero(prec).Quo(zero(prec).SetInt64(1), zero(prec).SetInt64(n))
		square := zero(prec).SetInt64(n * n)
		sum := zero(prec)
		for i := int64(0); i < 100_000; i++ {
			part := zero(prec).Quo(term, zero(prec).SetInt64(2*i+1))
			if part.MantExp(nil) < -int(prec) {
				break
			}
			if i%2 == 1 {
				part.Neg(part)
			}
			sum.Add(sum, part)
			term.Quo(term, square)
		}
		return sum
	}
	a, b := atan(5), atan(239)
	a.Mul(a, zero(prec).SetInt64(16))
	circle[prec] = zero(prec).Sub(a, b.Mul(b, zero(prec).SetInt64(4)))
	return zero(prec).Set(circle[prec])
}

// phi returns the normal distribution function: 1/2 + density(x)·(x + x³/3 + x⁵/15 + …). For x below 0 the two nearly
// cancel, so there are x² bits more of them.
func phi(x *big.Float) *big.Float {
	f, _ := x.Float64()
	if math.Abs(f) > farthest {
		tiny := zero(digits).SetMantExp(number(1), -6000)
		if f > 0 {
			return zero(8000).Sub(zero(8000).SetInt64(1), tiny)
		}
		return tiny
	}
	prec := uint(digits + 100 + int(1.5*f*f))
	wide := zero(prec).Set(x)
	square := zero(prec).Mul(wide, wide)
	term, sum := zero(prec).Set(wide), zero(prec).Set(wide)
	for i := int64(3); term.Sign() != 0 && term.MantExp(nil) > -int(prec); i += 2 {
		term.Mul(term, square).Quo(term, zero(prec).SetInt64(i))
		sum.Add(sum, term)
	}
	density := exp(zero(prec).Quo(square, zero(prec).SetInt64(-2)))
	root := pi(prec)
	root.Sqrt(root.Add(root, root))
	sum.Mul(sum, density).Quo(sum, root)
	return sum.Add(sum, zero(prec).SetFloat64(0.5))
}

// inverse returns the x at which phi(x) = a, for a below one half, by Newton's method.
func inverse(a *big.Float) *big.Float {
	f, _ := a.Float64()
	x := number(-math.Sqrt2 * math.Erfcinv(2*f))
	root := pi(digits)
	root.Sqrt(root.Add(root, root))
	for range 7 {
		density := exp(zero(digits).Quo(zero(digits).Mul(x, x), number(-2)))
		density.Quo(density, root)
		step := zero(digits).Sub(phi(x), a)
		x.Sub(x, step.Quo(step, density))
	}
	return x
}

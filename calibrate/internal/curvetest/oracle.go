package curvetest

import (
	"math"
	"math/big"
)

// Oracle evaluates delta(eps) directly by Balle & Wang 2018, Theorem 8, with so many bits that cancellation does not
// matter. It shares no code with package calibrate: it computes erfc by the trapezoidal rule with the correction for
// its pole (Matta & Reichel 1971), e^x by reduction with ln 2, and pi by the arithmetic-geometric mean.
type Oracle struct {
	prec     uint
	Pi, Log2 *big.Float
}

// wantBits is the accuracy of the oracle's answers in bits, relative to delta and to 1 - delta.
const wantBits = 420

// NewOracle returns an oracle with enough bits for this mu. A smaller mu needs more.
func NewOracle(mu *big.Float) *Oracle {
	bits := wantBits + 100
	if e := mu.MantExp(nil); e < 0 {
		bits -= 4 * e // digits cancel once in R(x) - R(y), three times at erfc's pole
	}
	return OracleOf(uint(bits+255) / 256 * 256)
}

// OracleOf returns an oracle of prec bits.
func OracleOf(prec uint) *Oracle {
	if oracles[prec] == nil {
		o := &Oracle{prec: prec}
		o.Pi, o.Log2 = o.agmPi(), o.lnTwo()
		oracles[prec] = o
	}
	return oracles[prec]
}

// oracles caches an oracle for each precision. Tests that use it must not run in parallel.
var oracles = map[uint]*Oracle{}

// Zero returns a new 0 of the oracle's precision.
func (o *Oracle) Zero() *big.Float { return new(big.Float).SetPrec(o.prec) }

// Of converts a float64 to the oracle's precision, exactly.
func (o *Oracle) Of(x float64) *big.Float { return o.Zero().SetFloat64(x) }

// Mul returns x·y in the oracle's precision.
func (o *Oracle) Mul(x, y *big.Float) *big.Float { return o.Zero().Mul(x, y) }

// Quo returns x/y in the oracle's precision.
func (o *Oracle) Quo(x, y *big.Float) *big.Float { return o.Zero().Quo(x, y) }

// Sub returns x - y in the oracle's precision.
func (o *Oracle) Sub(x, y *big.Float) *big.Float { return o.Zero().Sub(x, y) }

// Add returns x + y in the oracle's precision.
func (o *Oracle) Add(x, y *big.Float) *big.Float { return o.Zero().Add(x, y) }

// agmPi returns pi by the Gauss-Legendre iteration.
func (o *Oracle) agmPi() *big.Float {
	a, b := o.Of(1), o.Zero().Sqrt(o.Of(0.5))
	t, p := o.Of(0.25), 1.0
	for range 14 {
		next := o.Quo(o.Add(a, b), o.Of(2))
		b = o.Zero().Sqrt(o.Mul(a, b))
		gap := o.Sub(a, next)
		t = o.Sub(t, o.Mul(o.Of(p), o.Mul(gap, gap)))
		a, p = next, 2*p
	}
	sum := o.Add(a, b)
	return o.Quo(o.Mul(sum, sum), o.Mul(o.Of(4), t))
}

// lnTwo returns ln 2 = 2·atanh(1/3).
func (o *Oracle) lnTwo() *big.Float {
	sum, power := o.Zero(), o.Quo(o.Of(2), o.Of(3))
	for k := 1.0; power.MantExp(nil) > -int(o.prec)-8; k += 2 {
		sum.Add(sum, o.Quo(power, o.Of(k)))
		power.Quo(power, o.Of(9))
	}
	return sum
}

// Exp returns e^x for x < 2^30, and 0 for x below -2^30.
func (o *Oracle) Exp(x *big.Float) *big.Float {
	if x.Cmp(o.Of(-0x1p30)) < 0 {
		return o.Zero()
	}
	ratio, _ := o.Quo(x, o.Log2).Float64()
	n := math.Round(ratio)
	r := o.Sub(x, o.Mul(o.Of(n), o.Log2))
	sum := o.Of(1)
	for k := float64(o.prec/5 + 40); k >= 1; k-- {
		sum = o.Add(o.Of(1), o.Quo(o.Mul(sum, r), o.Of(k)))
	}
	return o.Zero().SetMantExp(sum, int(n))
}

// Erfc returns erfc(x). The error is at most 2^-(prec-64)·e^(-x²). For x >= 0 this is a relative error, except for a
// factor of x.
func (o *Oracle) Erfc(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return o.Of(1)
	}
	if x.Sign() < 0 {
		return o.Sub(o.Of(2), o.Erfc(o.Zero().Neg(x)))
	}
	bits := float64(o.prec) * math.Ln2
	h := math.Pi / math.Sqrt(bits)
	square := o.Mul(x, x)
	sum := o.Quo(o.Of(0.5), square)
	q := o.Exp(o.Of(-h * h)) // e^(-h²), with h² rounded as in hh
	hh := o.Of(h * h)
	growth, power := o.Mul(q, o.Of(1)), o.Of(1)
	twice := o.Mul(q, q)
	for n := 1.0; power.MantExp(nil) > -int(o.prec)-8; n++ {
		power = o.Mul(power, growth) // e^(-n²h²)
		growth = o.Mul(growth, twice)
		sum = o.Add(sum, o.Quo(power, o.Add(o.Mul(o.Of(n*n), hh), square)))
	}
	root := o.Zero().Sqrt(hh)
	value := o.Mul(o.Quo(o.Mul(o.Of(2), o.Mul(root, x)), o.Pi), o.Mul(o.Exp(o.Zero().Neg(square)), sum))
	if xf, _ := x.Float64(); xf < math.Pi/h {
		pole := o.Exp(o.Quo(o.Mul(o.Of(2), o.Mul(o.Pi, x)), root))
		value = o.Add(value, o.Quo(o.Of(2), o.Sub(o.Of(1), pole)))
	}
	return value
}

// Tail returns the upper tail of the normal distribution, 1 - Phi(x).
func (o *Oracle) Tail(x *big.Float) *big.Float {
	half := o.Erfc(o.Quo(x, o.Zero().Sqrt(o.Of(2))))
	return half.Quo(half, o.Of(2))
}

// delta returns Phi(mu/2 - eps/mu) - e^eps·Phi(-mu/2 - eps/mu).
func (o *Oracle) delta(eps, mu *big.Float) *big.Float {
	a, b := o.Quo(eps, mu), o.Quo(mu, o.Of(2))
	return o.Sub(o.Tail(o.Sub(a, b)), o.Mul(o.Exp(eps), o.Tail(o.Add(a, b))))
}

// OracleDelta returns delta(eps) of the Gaussian mechanism at mu = num/den.
func OracleDelta(eps, num, den float64) *big.Float {
	mu := new(big.Float).SetPrec(64).Quo(big.NewFloat(num), big.NewFloat(den))
	o := NewOracle(mu)
	return o.delta(o.Of(eps), o.Quo(o.Of(num), o.Of(den)))
}

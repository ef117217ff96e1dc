package calibrate

import (
	"math"
	"math/big"
)

// The oracle evaluates delta(eps) straight from Balle & Wang 2018, Theorem 8, with as many bits as its cancellation
// needs, and shares nothing with the package: erfc by the trapezoidal rule with its pole's correction (Matta & Reichel
// 1971), e^x by reduction with ln 2, pi by the arithmetic-geometric mean.
type oracle struct {
	prec     uint
	pi, log2 *big.Float
}

// wantBits is the accuracy of the oracle's answers, relative to delta and to 1 - delta.
const wantBits = 420

// newOracle is an oracle for this mu, whose smallness costs bits.
func newOracle(mu *big.Float) *oracle {
	bits := wantBits + 100
	if e := mu.MantExp(nil); e < 0 {
		bits -= 4 * e // once in R(x) - R(y), three times in erfc's pole
	}
	key := uint(bits+255) / 256 * 256
	if oracles[key] == nil {
		o := &oracle{prec: key}
		o.pi, o.log2 = o.agmPi(), o.lnTwo()
		oracles[key] = o
	}
	return oracles[key]
}

// oracles keeps the constants of each precision. Tests that use it do not run in parallel.
var oracles = map[uint]*oracle{}

func (o *oracle) zero() *big.Float               { return new(big.Float).SetPrec(o.prec) }
func (o *oracle) of(x float64) *big.Float        { return o.zero().SetFloat64(x) }
func (o *oracle) mul(x, y *big.Float) *big.Float { return o.zero().Mul(x, y) }
func (o *oracle) quo(x, y *big.Float) *big.Float { return o.zero().Quo(x, y) }
func (o *oracle) sub(x, y *big.Float) *big.Float { return o.zero().Sub(x, y) }
func (o *oracle) add(x, y *big.Float) *big.Float { return o.zero().Add(x, y) }

// agmPi is pi by Gauss and Legendre.
func (o *oracle) agmPi() *big.Float {
	a, b := o.of(1), o.zero().Sqrt(o.of(0.5))
	t, p := o.of(0.25), 1.0
	for range 14 {
		next := o.quo(o.add(a, b), o.of(2))
		b = o.zero().Sqrt(o.mul(a, b))
		gap := o.sub(a, next)
		t = o.sub(t, o.mul(o.of(p), o.mul(gap, gap)))
		a, p = next, 2*p
	}
	sum := o.add(a, b)
	return o.quo(o.mul(sum, sum), o.mul(o.of(4), t))
}

// lnTwo is ln 2 = 2·atanh(1/3).
func (o *oracle) lnTwo() *big.Float {
	sum, power := o.zero(), o.quo(o.of(2), o.of(3))
	for k := 1.0; power.MantExp(nil) > -int(o.prec)-8; k += 2 {
		sum.Add(sum, o.quo(power, o.of(k)))
		power.Quo(power, o.of(9))
	}
	return sum
}

// exp is e^x for x < 2^30; 0 for x below -2^30.
func (o *oracle) exp(x *big.Float) *big.Float {
	if x.Cmp(o.of(-0x1p30)) < 0 {
		return o.zero()
	}
	ratio, _ := o.quo(x, o.log2).Float64()
	n := math.Round(ratio)
	r := o.sub(x, o.mul(o.of(n), o.log2))
	sum := o.of(1)
	for k := float64(o.prec/5 + 40); k >= 1; k-- {
		sum = o.add(o.of(1), o.quo(o.mul(sum, r), o.of(k)))
	}
	return o.zero().SetMantExp(sum, int(n))
}

// erfc for any x, within 2^-(prec-64), relative to e^(-x²), and so for x >= 0 to itself but for a factor of x.
func (o *oracle) erfc(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return o.of(1)
	}
	if x.Sign() < 0 {
		return o.sub(o.of(2), o.erfc(o.zero().Neg(x)))
	}
	bits := float64(o.prec) * math.Ln2
	h := math.Pi / math.Sqrt(bits)
	square := o.mul(x, x)
	sum := o.quo(o.of(0.5), square)
	q := o.exp(o.of(-h * h)) // e^(-h²), as h² is rounded: use that h
	hh := o.of(h * h)
	growth, power := o.mul(q, o.of(1)), o.of(1)
	twice := o.mul(q, q)
	for n := 1.0; power.MantExp(nil) > -int(o.prec)-8; n++ {
		power = o.mul(power, growth) // e^(-n²h²)
		growth = o.mul(growth, twice)
		sum = o.add(sum, o.quo(power, o.add(o.mul(o.of(n*n), hh), square)))
	}
	root := o.zero().Sqrt(hh)
	value := o.mul(o.quo(o.mul(o.of(2), o.mul(root, x)), o.pi), o.mul(o.exp(o.zero().Neg(square)), sum))
	if xf, _ := x.Float64(); xf < math.Pi/h {
		pole := o.exp(o.quo(o.mul(o.of(2), o.mul(o.pi, x)), root))
		value = o.add(value, o.quo(o.of(2), o.sub(o.of(1), pole)))
	}
	return value
}

// tail is 1 - Phi(x).
func (o *oracle) tail(x *big.Float) *big.Float {
	half := o.erfc(o.quo(x, o.zero().Sqrt(o.of(2))))
	return half.Quo(half, o.of(2))
}

// delta is Phi(mu/2 - eps/mu) - e^eps·Phi(-mu/2 - eps/mu).
func (o *oracle) delta(eps, mu *big.Float) *big.Float {
	a, b := o.quo(eps, mu), o.quo(mu, o.of(2))
	return o.sub(o.tail(o.sub(a, b)), o.mul(o.exp(eps), o.tail(o.add(a, b))))
}

// oracleDelta is delta(eps) at mu = num/den.
func oracleDelta(eps, num, den float64) *big.Float {
	mu := new(big.Float).SetPrec(64).Quo(big.NewFloat(num), big.NewFloat(den))
	o := newOracle(mu)
	return o.delta(o.of(eps), o.quo(o.of(num), o.of(den)))
}

package gauss

import (
	"errors"
	"math/big"
	"testing"
	"testing/iotest"
)

// # The oracle
//
// These functions compute the same results from whole digit strings in 700-bit floating point. They share no code with
// the sampler.
const refPrecision = 700

func refFloat(x int64) *big.Float { return new(big.Float).SetPrec(refPrecision).SetInt64(x) }

// refUnit returns num/2^n.
func refUnit(num *big.Int, n int) *big.Float {
	x := new(big.Float).SetPrec(refPrecision).SetInt(num)
	return x.SetMantExp(x, -n)
}

// refExp returns e^(−x), x >= 0.
func refExp(x *big.Float) *big.Float {
	const halvings = 40
	y := new(big.Float).SetPrec(refPrecision + 2*halvings).Neg(x)
	y.SetMantExp(y, -halvings)
	sum := new(big.Float).SetPrec(y.Prec()).SetInt64(1)
	term := new(big.Float).Copy(sum)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > -refPrecision-3*halvings; k++ {
		term.Quo(term.Mul(term, y), refFloat(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetPrec(refPrecision)
}

func refExponent(a int64, u *big.Float) *big.Float {
	t := new(big.Float).Add(refFloat(2*a), u)
	return t.Quo(t.Mul(t, u), refFloat(512))
}

// refCumulative returns F(0), F(1), …: P(a <= j).
func refCumulative() []*big.Float {
	const terms = 600 // e^(−600²/512) < 2^−1000
	f := make([]*big.Float, terms)
	sum := refFloat(0)
	for j := range f {
		sum = new(big.Float).Add(sum, refExp(new(big.Float).Quo(refFloat(int64(j*j)), refFloat(512))))
		f[j] = sum
	}
	for j := range f {
		f[j] = new(big.Float).Quo(f[j], sum)
	}
	return f
}

// refLevel returns the smallest j with w < F(j).
func refLevel(f []*big.Float, w *big.Float) int64 {
	for j := range f {
		if w.Cmp(f[j]) < 0 {
			return int64(j)
		}
	}
	return -1
}

// refRound returns floor(x ± s·(a+u)/16 + 1/2), exactly, for x = cell·2^lift and s in rationals.
func refRound(x, s *big.Rat, z *big.Rat, negative bool) *big.Int {
	y := new(big.Rat).Mul(s, z)
	if negative {
		y.Neg(y)
	}
	y.Add(y, x)
	y.Add(y, big.NewRat(1, 2))
	return new(big.Int).Div(y.Num(), y.Denom()) // Euclidean: the denominator is positive
}

// power returns 2^e.
func power(e int) *big.Rat {
	x := new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(max(e, -e))))
	if e < 0 {
		x.Inv(x)
	}
	return x
}

func (s Scale) rat() *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt(new(big.Int).SetUint64(s.mantissa)), power(s.exponent))
}

var errScript = errors.New("the script is at its end")

// script returns a source of these words, which ends with an error.
func script(words ...uint64) *Bits {
	b := &Bits{entropy: iotest.ErrReader(errScript), buffer: make([]byte, bufferSize)}
	for _, w := range words {
		for range wordSize {
			b.unread = append(b.unread, byte(w))
			w >>= 8
		}
	}
	return b
}

// words cuts the low 64·n bits of x into words, the highest first.
func words(x *big.Int, n int) []uint64 {
	out := make([]uint64, n)
	rest := new(big.Int).Set(x)
	mask := new(big.Int).SetUint64(^uint64(0))
	for i := range out {
		out[n-1-i] = new(big.Int).And(rest, mask).Uint64()
		rest.Rsh(rest, 64)
	}
	return out
}

func newScale(tb testing.TB, sigma, grid float64) Scale {
	tb.Helper()
	s, err := NewScale(sigma, grid)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func newSampler(tb testing.TB, s Scale, lift int, source *Bits) *Sampler {
	tb.Helper()
	sampler, err := New(s, lift, source)
	if err != nil {
		tb.Fatal(err)
	}
	return sampler
}

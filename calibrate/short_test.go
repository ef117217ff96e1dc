package calibrate

import (
	"math"
	"math/big"
	"testing"
)

// TestShortPrecision: what is worked out in fewer bits is within the stated error of what is worked out in all of them.
func TestShortPrecision(t *testing.T) {
	r := newRand(t)
	worst := map[string]int{}
	check := func(name string, bound int, got, want *big.Float, x float64) {
		t.Helper()
		bits := relativeBits(newBig().Set(got), want)
		if _, seen := worst[name]; !seen || bits > worst[name] {
			worst[name] = bits
		}
		if bits > bound {
			t.Errorf("%s(%g): error 2^%d, not 2^%d", name, x, bits, bound)
		}
	}
	for i := range points(200, 5000) {
		x := r.Float64() * 45
		switch i % 3 {
		case 1:
			x = math.Pow(10, 5*r.Float64()-4)
		case 2:
			x = math.Pow(10, -300*r.Float64())
		}
		b := bigOf(x)
		check("mills", -224, millsWithin(b, 224), bigMills(b), x)
		check("exp", 54-shortPrec, expAt(bigOf(-40*x), shortPrec), bigExp(bigOf(-40*x)), -40*x)
		check("ln", 24-shortPrec, lnAt(b, shortPrec), bigLn(b), x)
		near := newBig().Add(bigOf(1), bigOf(x*0x1p-60))
		check("ln near 1", 24-shortPrec, lnAt(near, shortPrec), bigLn(near), x)
		if x < 37 {
			check("phi", -224, phiWithin(b, 224), bigPhi(b), x)
		}
		if x < 0.5 {
			check("expm1", 24-shortPrec, bigExpm1(at(shortPrec).Set(b)), bigExpm1(b), x)
			check("erf grown", 24-shortPrec, erfGrownAt(b, shortPrec), erfGrownAt(b, bigPrec), x)
			square := newBig().Mul(b, b)
			full := erfGrownAt(b, bigPrec)
			check("1 - erfcx", -216, erfcxShort(b), full.Sub(full, bigExpm1(square)), x)
		}
	}
	t.Log(worst)
}

// TestDeltaWithin: the curve in fewer bits.
func TestDeltaWithin(t *testing.T) {
	for _, p := range samplePoints(t, 150, 5000) {
		mu := quotient{p.num, p.den}.big()
		small := max(0, -mu.MantExp(nil))
		if small > 100 {
			continue
		}
		want := bigDelta(bigOf(p.eps), mu)
		got := deltaWithin(bigOf(p.eps), mu, uint(200+small))
		if bits := relativeBits(newBig().Set(got), want); bits > 14-200 {
			t.Errorf("eps = %g, mu = %g/%g: error 2^%d", p.eps, p.num, p.den, bits)
		}
	}
}

// TestStartsAreNear: the inverses take one step, the rule on which their speed rests.
func TestStartsAreNear(t *testing.T) {
	r := newRand(t)
	for range points(200, 5000) {
		p := bigOf(math.Max(math.Pow(10, -300*r.Float64())/2, MinDelta))
		if bits := relativeBits(startInvErfc(p), bigInvErfc(p)); bits > settled {
			t.Errorf("inverfc(%g) starts with an error of 2^%d", p, bits)
		}
		if bits := relativeBits(startInvErf(p), bigInvErf(p)); bits > settled {
			t.Errorf("inverf(%g) starts with an error of 2^%d", p, bits)
		}
	}
}

package numeric

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
)

// TestFewerBitsAreWithinTheirErrorBound checks that a function that is evaluated in fewer bits is within its stated
// error of the evaluation in all bits.
func TestFewerBitsAreWithinTheirErrorBound(t *testing.T) {
	r := curvetest.NewRand(t)
	worst := map[string]int{}
	check := func(name string, bound int, got, want *big.Float, x float64) {
		t.Helper()
		bits := curvetest.RelativeBits(NewBig().Set(got), want)
		if _, seen := worst[name]; !seen || bits > worst[name] {
			worst[name] = bits
		}
		if bits > bound {
			t.Errorf("%s(%g): error 2^%d, not 2^%d", name, x, bits, bound)
		}
	}
	for i := range curvetest.Points(200, 5000) {
		x := r.Float64() * 45
		switch i % 3 {
		case 1:
			x = math.Pow(10, 5*r.Float64()-4)
		case 2:
			x = math.Pow(10, -300*r.Float64())
		}
		b := BigOf(x)
		check("mills", -224, millsWithin(b, 224), BigMills(b), x)
		check("exp", 54-ShortPrec, ExpAt(BigOf(-40*x), ShortPrec), BigExp(BigOf(-40*x)), -40*x)
		check("ln", 24-ShortPrec, LnAt(b, ShortPrec), BigLn(b), x)
		near := NewBig().Add(BigOf(1), BigOf(x*0x1p-60))
		check("ln near 1", 24-ShortPrec, LnAt(near, ShortPrec), BigLn(near), x)
		if x < 37 {
			check("phi", -224, phiWithin(b, 224), BigPhi(b), x)
		}
		if x < 0.5 {
			check("expm1", 24-ShortPrec, BigExpm1(newFloat(ShortPrec).Set(b)), BigExpm1(b), x)
			check("erf grown", 24-ShortPrec, ErfGrownAt(b, ShortPrec), ErfGrownAt(b, BigPrec), x)
			square := NewBig().Mul(b, b)
			full := ErfGrownAt(b, BigPrec)
			check("1 - erfcx", -216, OneLessErfcx(b), full.Sub(full, BigExpm1(square)), x)
		}
	}
	t.Log(worst)
}

// TestCurveInFewerBitsIsWithinItsErrorBound checks that the curve in fewer bits is within its stated error.
func TestCurveInFewerBitsIsWithinItsErrorBound(t *testing.T) {
	for _, p := range curvetest.SamplePoints(t, 150, 5000) {
		mu := Quotient{p.Num, p.Den}.big()
		small := max(0, -mu.MantExp(nil))
		if small > 100 {
			continue
		}
		want := bigDelta(BigOf(p.Eps), mu)
		got := DeltaWithin(BigOf(p.Eps), mu, uint(200+small))
		if bits := curvetest.RelativeBits(NewBig().Set(got), want); bits > 14-200 {
			t.Errorf("eps = %g, mu = %g/%g: error 2^%d", p.Eps, p.Num, p.Den, bits)
		}
	}
}

// TestInversesStartNear checks that the first approximations of the inverse functions are so good that one more step
// suffices. Their speed depends on this.
func TestInversesStartNear(t *testing.T) {
	r := curvetest.NewRand(t)
	for range curvetest.Points(200, 5000) {
		p := BigOf(math.Max(math.Pow(10, -300*r.Float64())/2, 1e-300))
		if bits := curvetest.RelativeBits(startInvErfc(p), BigInvErfc(p)); bits > settled {
			t.Errorf("inverfc(%g) starts with an error of 2^%d", p, bits)
		}
		if bits := curvetest.RelativeBits(startInvErf(p), BigInvErf(p)); bits > settled {
			t.Errorf("inverf(%g) starts with an error of 2^%d", p, bits)
		}
	}
}

package methods

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// TestSpecialFunctionsAgreeWithReference compares special functions with the reference values.
func TestSpecialFunctionsAgreeWithReference(t *testing.T) {
	fs := map[string]func(float64) (float64, error){"erfcx": erfcx, "inverfc": InvErfc, "inverf": invErf}
	for _, row := range golden(t, "special.csv") {
		f := fs[row["fn"]]
		if f == nil {
			continue
		}
		got, err := f(curvetest.Nearest(t, row["x"]))
		if err != nil {
			t.Errorf("%s(%s): %v", row["fn"], row["x"], err)
			continue
		}
		exact, _ := curvetest.Precise(t, row["value"]).Float64()
		if ulps := math.Abs(got-exact) / (math.Nextafter(math.Abs(exact), math.Inf(1)) - math.Abs(exact)); !(ulps <= 1) {
			t.Errorf("%s(%s) = %v, want %s", row["fn"], row["x"], got, row["value"])
		}
	}
}

func erfcx(x float64) (float64, error) { return numeric.Erfcx(x), nil }

func invErf(q float64) (float64, error) {
	return numeric.NearestFloat(numeric.BigInvErf(numeric.BigOf(q))), nil
}

// TestErfcAgreesWithOracle compares the extended erfc with the tests' own, which shares no code with it.
func TestErfcAgreesWithOracle(t *testing.T) {
	o := curvetest.NewOracle(numeric.BigOf(1))
	r := curvetest.NewRand(t)
	for range curvetest.Points(60, 1000) {
		x := r.Float64()*40 - 10
		if r.Intn(4) == 0 {
			x = math.Exp(-8 * r.Float64())
		}
		if bits := curvetest.RelativeBits(bigErfc(numeric.BigOf(x)), o.Erfc(o.Of(x))); bits > -430 {
			t.Errorf("erfc(%g): error 2^%d", x, bits)
		}
		grown := o.Mul(o.Exp(o.Mul(o.Of(x), o.Of(x))), o.Erfc(o.Of(x)))
		if got := numeric.Erfcx(x); x > 0 && curvetest.RelativeBits(numeric.BigOf(got), grown) > -50 {
			t.Errorf("erfcx(%g) = %v, want %.20g", x, got, grown)
		}
	}
}

// TestLogErfcIsTheLogarithm compares logErfc with the logarithm of the extended erfc.
func TestLogErfcIsTheLogarithm(t *testing.T) {
	for _, x := range []float64{-30, -3, -0.5, -1e-3, -1e-100, 0, 1e-100, 1e-20, 1e-3, 0.3, 0.4999, 0.5, 0.6, 1, 3, 25, 40,
		59} {
		got, err := logErfc(x)
		if err != nil {
			t.Fatal(err)
		}
		want := numeric.BigLn(bigErfc(numeric.BigOf(x)))
		if x < 0.5 && x > -0.5 { // the logarithm of 1 - erf
			want = numeric.BigLn(numeric.NewBig().Sub(numeric.BigOf(1), signedErf(x)))
		}
		if want.Sign() != 0 && curvetest.RelativeBits(numeric.BigOf(got), want) > -50 {
			t.Errorf("log erfc(%g) = %v, want %.20g", x, got, want)
		}
	}
	if far, err := logErfc(1e150); err != nil || !(far < -9e299) {
		t.Errorf("log erfc(1e150) = %v, %v", far, err)
	}
}

// bigErfc returns erfc(x) for |x| <= 60, within 2^-440, relative: 2·phi(z)·R(z) with z = sqrt(2)·x, and 2 - erfc(-x)
// for x < 0.
//
// Proof note. z is within 2^-1004 and below 85, so phi(z) is within 2^-960; R is within 2^-450.
func bigErfc(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		tail := bigErfc(numeric.NewBig().Neg(x))
		return tail.Sub(numeric.BigOf(2), tail)
	}
	z := numeric.NewBig().Mul(numeric.BigSqrt2(), x)
	tail := numeric.NewBig().Mul(numeric.BigPhi(z), numeric.BigMills(z))
	return tail.SetMantExp(tail, 1)
}

// bigErf returns erf(x) for 0 <= x <= 1.
func bigErf(x *big.Float) *big.Float {
	decay := numeric.NewBig().Mul(x, x)
	return decay.Mul(numeric.ErfGrownAt(x, numeric.BigPrec), numeric.BigExp(decay.Neg(decay)))
}

func signedErf(x float64) *big.Float {
	e := bigErf(numeric.BigOf(math.Abs(x)))
	if x < 0 {
		e.Neg(e)
	}
	return e
}

// TestInverseErfUndoesErf checks that the inverse functions undo erfc and erf, in both tails and near 0.
func TestInverseErfUndoesErf(t *testing.T) {
	for _, p := range []float64{5e-324, 1e-300, 1e-30, 0.1, 0.4999, 0.5001, 0.9, 1 - 0x1p-53, 1, 1 + 0x1p-52, 1.4, 1.6,
		2 - 0x1p-52} {
		if x := numeric.BigInvErfc(numeric.BigOf(p)); curvetest.RelativeBits(bigErfc(x), numeric.BigOf(p)) > -145 {
			t.Errorf("erfc(inverfc(%g)) is off by 2^%d", p, curvetest.RelativeBits(bigErfc(x), numeric.BigOf(p)))
		}
	}
	for _, q := range []float64{5e-324, 1e-310, 1e-30, 1e-9, 2e-9, 0.1, 0.5, 0.6, 1 - 0x1p-53} {
		if x := numeric.BigInvErf(numeric.BigOf(q)); q <= 0.5 && curvetest.RelativeBits(bigErf(x), numeric.BigOf(q)) > -150 {
			t.Errorf("erf(inverf(%g)) is off by 2^%d", q, curvetest.RelativeBits(bigErf(x), numeric.BigOf(q)))
		}
		if x, _ := invErf(q); !(x > 0) || math.Abs(math.Erf(x)-q) > 4e-16*q {
			t.Errorf("inverf(%g) = %v", q, x)
		}
	}
}

// TestExtendedElementary checks the extended ln and expm1, also next to 1 and 0: exp undoes ln, and both agree with
// package math.
func TestExtendedElementary(t *testing.T) {
	for _, x := range []float64{1e-300, 0.3, 0.7, 1 - 0x1p-53, 1 + 0x1p-52, 1.41, 1.42, 2, 1e300} {
		back := numeric.BigExp(numeric.BigLn(numeric.BigOf(x)))
		if curvetest.RelativeBits(back, numeric.BigOf(x)) > -940 {
			t.Errorf("exp(ln %g) = %.20g", x, back)
		}
		if numeric.NearestFloat(numeric.BigLn(numeric.BigOf(x))) != math.Log(x) &&
			math.Abs(numeric.NearestFloat(numeric.BigLn(numeric.BigOf(x)))/math.Log(x)-1) > 4e-16 {
			t.Errorf("ln %g = %.20g", x, numeric.BigLn(numeric.BigOf(x)))
		}
	}
	for _, x := range []float64{5e-324, -1e-300, 1e-3, 0.5, -0.5} {
		if got := numeric.NearestFloat(numeric.BigExpm1(numeric.BigOf(x))); math.Abs(got-math.Expm1(x)) > 4e-16*math.Abs(x) {
			t.Errorf("expm1(%g) = %v", x, got)
		}
	}
}

// TestSpecialFunctionsNameABadArgument checks that special functions return an error if an argument has no value, and
// never NaN or infinity without an error.
func TestSpecialFunctionsNameABadArgument(t *testing.T) {
	for name, f := range map[string]func(float64) (float64, error){"logerfc": logErfc, "inverfc": InvErfc} {
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -27.5, -26.7, 1e308, -1e308, 0, 5e-324, 1, 2, -1,
			1e-310} {
			y, err := f(x)
			if err == nil && (math.IsNaN(y) || math.IsInf(y, 0)) || err != nil && y != 0 {
				t.Errorf("%s(%g) = %v, %v", name, x, y, err)
			}
			if math.IsNaN(x) && err == nil {
				t.Errorf("%s(NaN) has a value", name)
			}
		}
	}
	if y := numeric.Erfcx(math.MaxFloat64); !(y > 0) {
		t.Errorf("erfcx of the largest float64: %v", y)
	}
}

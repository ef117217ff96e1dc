package numeric

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/internal/owntest"
)

func init() { owntest.DrawLess() }

func (x dd) Big() *big.Float { return NewBig().Add(BigOf(x.hi), BigOf(x.lo)) }

// TestOracleAgainstExtended compares the two extended evaluations, which share no code.
func TestOracleAgainstExtended(t *testing.T) {
	cases := [][2]float64{
		{1, 0.2367}, {0, 1e-3}, {0, 5}, {1e-6, 2e-7}, {5, 0.9}, {10, 3.3}, {100, 10}, {1e6, 1410}, {1e6, 1415}, {0.001,
			2.7e-5},
		{0, 1e-40}, {1e-45, 1e-46}, {1e-300, 1e-300}, {1e-300, 2e-302}, {700, 37}, {800, 34}, {1e4, 120}, {2, 30}, {3, 0.08},
	}
	for _, c := range cases {
		want := curvetest.OracleDelta(c[0], c[1], 1)
		got := bigDelta(BigOf(c[0]), BigOf(c[1]))
		if bits := curvetest.RelativeBits(got, want); bits > -330 {
			t.Errorf("delta(%g; mu = %g): extended evaluation and oracle agree to %d bits: %.20g, %.20g", c[0], c[1], -bits, got,
				want)
		}
	}
}

// TestExtendedCurveIsABoundFarOut checks that beyond |x| = 64 the extended evaluation returns a bound.
func TestExtendedCurveIsABoundFarOut(t *testing.T) {
	if d := bigDelta(BigOf(1e6), BigOf(1)); d.Sign() <= 0 || d.Cmp(BigPow2(-2000)) > 0 {
		t.Errorf("delta(1e6; mu = 1) = %g", d)
	}
	if d := bigDelta(BigOf(1), BigOf(1e6)); d.Cmp(BigOf(1)) != 0 {
		t.Errorf("delta(1; mu = 1e6) = %g", d)
	}
}

// TestCurveIsWithinItsErrorBound measures curve against the extended evaluation over all of its range: the proof note
// states 2^-80.
func TestCurveIsWithinItsErrorBound(t *testing.T) {
	worst := -9999
	for _, p := range curvetest.SamplePoints(t, 500, 20000) {
		got := curve(wideOf(p.Eps), Quotient{p.Num, p.Den}.wide())
		if got.region >= nothing {
			continue
		}
		want := bigDelta(BigOf(p.Eps), Quotient{p.Num, p.Den}.big())
		if got.region == upper {
			want.Sub(BigOf(1), want)
		}
		bits := curvetest.RelativeBits(got.value.big(), want)
		worst = max(worst, bits)
		if bits > -80 {
			t.Errorf("eps = %g, mu = %g/%g: error 2^%d", p.Eps, p.Num, p.Den, bits)
		}
	}
	t.Logf("worst error 2^%d", worst)
}

func TestMillsIsWithinItsErrorBound(t *testing.T) {
	worst, r := -9999, curvetest.NewRand(t)
	for i := range curvetest.Points(1500, 20000) {
		x := dd{r.Float64() * 45, 0}
		switch i % 4 {
		case 1:
			x.hi = math.Exp(r.Float64()*8 - 1)
		case 2:
			x.hi = math.Round(x.hi*16)/16 + r.Float64()*1e-12
		case 3:
			x.hi = math.Exp(-r.Float64() * 200)
		}
		x = fastTwoSum(x.hi, x.hi*(r.Float64()-0.5)*0x1p-53)
		worst = max(worst, curvetest.RelativeBits(mills(x).Big(), BigMills(x.Big())))
	}
	if t.Logf("worst error 2^%d", worst); worst > -95 {
		t.Errorf("mills is off by 2^%d, not 2^-95", worst)
	}
}

func TestExpIsWithinItsErrorBound(t *testing.T) {
	worst, r := -9999, curvetest.NewRand(t)
	for range curvetest.Points(1500, 20000) {
		x := r.Float64() * 800
		v := fastTwoSum(x, x*(r.Float64()-0.5)*0x1p-53)
		got := expNeg(v)
		want := BigExp(new(big.Float).Neg(v.Big()))
		worst = max(worst, curvetest.RelativeBits(got.normal().big(), want))
	}
	if t.Logf("worst error 2^%d", worst); worst > -89 {
		t.Errorf("expNeg is off by 2^%d, not 2^-89", worst)
	}
}

// TestDoubleDoubleIsWithinItsBounds measures each operation against its published bound.
func TestDoubleDoubleIsWithinItsBounds(t *testing.T) {
	r := curvetest.NewRand(t)
	random := func() dd {
		x := (r.Float64() + 0.5) * math.Exp2(float64(r.Intn(40)-20))
		if r.Intn(2) == 0 {
			x = -x
		}
		return twoSum(x, x*(r.Float64()-0.5)*0x1p-52)
	}
	check := func(name string, bound int, got dd, want *big.Float) {
		t.Helper()
		if math.Abs(got.lo) > math.Abs(got.hi)*0x1p-52 {
			t.Fatalf("%s: not normalised: %v", name, got)
		}
		if want.Sign() != 0 && curvetest.RelativeBits(got.Big(), want) > bound {
			t.Fatalf("%s: error 2^%d", name, curvetest.RelativeBits(got.Big(), want))
		}
	}
	for range 10000 {
		x, y := random(), random()
		check("add", -103, x.add(y), NewBig().Add(x.Big(), y.Big()))
		check("sub", -103, x.sub(y), NewBig().Sub(x.Big(), y.Big()))
		check("mul", -103, x.mul(y), NewBig().Mul(x.Big(), y.Big()))
		check("mulFloat", -103, x.mulFloat(y.hi), NewBig().Mul(x.Big(), BigOf(y.hi)))
		check("div", -101, x.div(y), NewBig().Quo(x.Big(), y.Big()))
		z := y.scale(math.Exp2(math.Floor(math.Log2(math.Abs(x.hi/y.hi))) - 3))
		check("addSmall", -102, x.addSmall(z), NewBig().Add(x.Big(), z.Big()))
	}
}

// TestMillsTableAgreesWithTheSeries compares the table, which walks down from 26, with the series at each node.
func TestMillsTableAgreesWithTheSeries(t *testing.T) {
	for k, n := range millsTable() {
		x := float64(k) * millsStep
		value := BigMills(BigOf(x))
		if bits := curvetest.RelativeBits(n.head[0].Big(), value); bits > -105 {
			t.Errorf("R(%g): error 2^%d", x, bits)
		}
		slope := value.Mul(value, BigOf(x))
		slope.Sub(slope, BigOf(1))
		if bits := curvetest.RelativeBits(n.head[1].Big(), slope); bits > -105 {
			t.Errorf("R'(%g): error 2^%d", x, bits)
		}
	}
}

// TestConstantsAreRight recomputes the constants that are written as digits.
func TestConstantsAreRight(t *testing.T) {
	o := curvetest.OracleOf(300)
	root := o.Zero().Sqrt(o.Mul(o.Of(2), o.Pi))
	for name, c := range map[string]struct {
		got  dd
		want *big.Float
	}{
		"ln2":        {ln2, o.Log2},
		"invSqrt2Pi": {invSqrt2Pi, o.Quo(o.Of(1), root)},
		"third":      {third, o.Quo(o.Of(1), o.Of(3))},
		"fifth":      {fifth, o.Quo(o.Of(1), o.Of(5))},
		"1/3!":       {expHead[3], o.Quo(o.Of(1), o.Of(6))},
		"1/4!":       {expHead[4], o.Quo(o.Of(1), o.Of(24))},
		"1/5!":       {expHead[5], o.Quo(o.Of(1), o.Of(120))},
	} {
		if bits := curvetest.RelativeBits(c.got.Big(), c.want); bits > -106 {
			t.Errorf("%s: error 2^%d", name, bits)
		}
	}
}

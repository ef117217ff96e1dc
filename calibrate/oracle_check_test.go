package calibrate

import (
	"math"
	"math/big"
	"testing"
)

// relativeBits is log2 of |got - want|/|want|; -9999 if they are equal.
func relativeBits(got, want *big.Float) int {
	gap := new(big.Float).SetPrec(want.Prec()+64).Sub(got, want)
	if gap.Sign() == 0 {
		return -9999
	}
	return gap.MantExp(nil) - want.MantExp(nil) + 1
}

func (x dd) big() *big.Float { return newBig().Add(bigOf(x.hi), bigOf(x.lo)) }

// TestOracleAgainstExtended compares the two extended evaluations, which share no code.
func TestOracleAgainstExtended(t *testing.T) {
	cases := [][2]float64{
		{1, 0.2367}, {0, 1e-3}, {0, 5}, {1e-6, 2e-7}, {5, 0.9}, {10, 3.3}, {100, 10}, {1e6, 1410}, {1e6, 1415}, {0.001, 2.7e-5},
		{0, 1e-40}, {1e-45, 1e-46}, {1e-300, 1e-300}, {1e-300, 2e-302}, {700, 37}, {800, 34}, {1e4, 120}, {2, 30}, {3, 0.08},
	}
	for _, c := range cases {
		want := oracleDelta(c[0], c[1], 1)
		got := bigDelta(bigOf(c[0]), bigOf(c[1]))
		if bits := relativeBits(got, want); bits > -330 {
			t.Errorf("delta(%g; mu = %g): extended evaluation and oracle agree to %d bits: %.20g, %.20g", c[0], c[1], -bits, got, want)
		}
	}
}

// TestExtendedFarOut: beyond |x| = 64 the extended evaluation answers with a bound.
func TestExtendedFarOut(t *testing.T) {
	if d := bigDelta(bigOf(1e6), bigOf(1)); d.Sign() <= 0 || d.Cmp(bigPow2(-2000)) > 0 {
		t.Errorf("delta(1e6; mu = 1) = %g", d)
	}
	if d := bigDelta(bigOf(1), bigOf(1e6)); d.Cmp(bigOf(1)) != 0 {
		t.Errorf("delta(1; mu = 1e6) = %g", d)
	}
}

// TestCurveError measures curve against the extended evaluation over all of its range: the proof note says 2^-80.
func TestCurveError(t *testing.T) {
	worst := -9999
	for _, p := range samplePoints(t, 500, 20000) {
		got := curve(wideOf(p.eps), quotient{p.num, p.den}.wide())
		if got.region >= nothing {
			continue
		}
		want := bigDelta(bigOf(p.eps), quotient{p.num, p.den}.big())
		if got.region == upper {
			want.Sub(bigOf(1), want)
		}
		bits := relativeBits(got.value.big(), want)
		worst = max(worst, bits)
		if bits > -80 {
			t.Errorf("eps = %g, mu = %g/%g: error 2^%d", p.eps, p.num, p.den, bits)
		}
	}
	t.Logf("worst error 2^%d", worst)
}

func TestMillsError(t *testing.T) {
	worst, r := -9999, newRand(t)
	for i := range points(1500, 20000) {
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
		worst = max(worst, relativeBits(mills(x).big(), bigMills(x.big())))
	}
	if t.Logf("worst error 2^%d", worst); worst > -95 {
		t.Errorf("mills is off by 2^%d, not 2^-95", worst)
	}
}

func TestExpError(t *testing.T) {
	worst, r := -9999, newRand(t)
	for range points(1500, 20000) {
		x := r.Float64() * 800
		v := fastTwoSum(x, x*(r.Float64()-0.5)*0x1p-53)
		got := expNeg(v)
		want := bigExp(new(big.Float).Neg(v.big()))
		worst = max(worst, relativeBits(got.normal().big(), want))
	}
	if t.Logf("worst error 2^%d", worst); worst > -89 {
		t.Errorf("expNeg is off by 2^%d, not 2^-89", worst)
	}
}

// TestDoubleDouble measures each operation against its published bound.
func TestDoubleDouble(t *testing.T) {
	r := newRand(t)
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
		if want.Sign() != 0 && relativeBits(got.big(), want) > bound {
			t.Fatalf("%s: error 2^%d", name, relativeBits(got.big(), want))
		}
	}
	for range 10000 {
		x, y := random(), random()
		check("add", -103, x.add(y), newBig().Add(x.big(), y.big()))
		check("sub", -103, x.sub(y), newBig().Sub(x.big(), y.big()))
		check("mul", -103, x.mul(y), newBig().Mul(x.big(), y.big()))
		check("mulFloat", -103, x.mulFloat(y.hi), newBig().Mul(x.big(), bigOf(y.hi)))
		check("div", -101, x.div(y), newBig().Quo(x.big(), y.big()))
		z := y.scale(math.Exp2(math.Floor(math.Log2(math.Abs(x.hi/y.hi))) - 3))
		check("addSmall", -102, x.addSmall(z), newBig().Add(x.big(), z.big()))
	}
}

// TestMillsTable compares the table, which walks down from 26, with the series at each node.
func TestMillsTable(t *testing.T) {
	for k, n := range millsTable() {
		x := float64(k) * millsStep
		value := bigMills(bigOf(x))
		if bits := relativeBits(n.head[0].big(), value); bits > -105 {
			t.Errorf("R(%g): error 2^%d", x, bits)
		}
		slope := value.Mul(value, bigOf(x))
		slope.Sub(slope, bigOf(1))
		if bits := relativeBits(n.head[1].big(), slope); bits > -105 {
			t.Errorf("R'(%g): error 2^%d", x, bits)
		}
	}
}

// TestConstants recomputes the constants that are written as digits.
func TestConstants(t *testing.T) {
	o := &oracle{prec: 300}
	o.pi, o.log2 = o.agmPi(), o.lnTwo()
	root := o.zero().Sqrt(o.mul(o.of(2), o.pi))
	for name, c := range map[string]struct {
		got  dd
		want *big.Float
	}{
		"ln2":        {ln2, o.log2},
		"invSqrt2Pi": {invSqrt2Pi, o.quo(o.of(1), root)},
		"third":      {third, o.quo(o.of(1), o.of(3))},
		"fifth":      {fifth, o.quo(o.of(1), o.of(5))},
		"1/3!":       {expHead[3], o.quo(o.of(1), o.of(6))},
		"1/4!":       {expHead[4], o.quo(o.of(1), o.of(24))},
		"1/5!":       {expHead[5], o.quo(o.of(1), o.of(120))},
	} {
		if bits := relativeBits(c.got.big(), c.want); bits > -106 {
			t.Errorf("%s: error 2^%d", name, bits)
		}
	}
	limit := o.of(0.025)
	if o.tail(o.of(Z95)).Cmp(limit) > 0 || o.tail(o.of(math.Nextafter(Z95, 0))).Cmp(limit) <= 0 {
		t.Errorf("Z95 = %v is not the least float64 above the quantile", Z95)
	}
}

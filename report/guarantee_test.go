package report

import (
	"math"
	"math/big"
	"testing"
)

// phi returns the normal distribution function with 60 digits, by the series of Marsaglia (2004), independent of the
// page's computation.
func phi(x *big.Float) *big.Float {
	const prec = 400
	one := new(big.Float).SetPrec(prec).SetInt64(1)
	square := new(big.Float).SetPrec(prec).Mul(x, x)
	term, sum := new(big.Float).SetPrec(prec).Set(x), new(big.Float).SetPrec(prec).Set(x)
	for k := int64(3); k < 2001; k += 2 {
		term.Mul(term, square).Quo(term, new(big.Float).SetPrec(prec).SetInt64(k))
		sum.Add(sum, term)
	}
	// e^(-x²/2)/sqrt(2·pi)
	half := new(big.Float).SetPrec(prec).Quo(square, big.NewFloat(-2))
	e, t := new(big.Float).Copy(one), new(big.Float).Copy(one)
	for k := int64(1); k < 1000; k++ {
		t.Mul(t, half).Quo(t, new(big.Float).SetPrec(prec).SetInt64(k))
		e.Add(e, t)
	}
	pi, _ := new(big.Float).SetPrec(prec).SetString("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651")
	root := new(big.Float).SetPrec(prec).Sqrt(pi.Mul(pi, big.NewFloat(2)))
	sum.Mul(sum, e).Quo(sum, root)
	return sum.Add(sum, big.NewFloat(0.5))
}

func percentOf(x *big.Float) string {
	r, _ := x.Rat(nil)
	return percentUp(r)
}

func precise(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

// The numbers on the page of a Gaussian release agree to the last printed digit with the formulas that the page names,
// evaluated with 60 digits.
func TestGuessesAreExact(t *testing.T) {
	for _, mu := range []float64{0.01, 0.2367043806634357, 0.5, 1, 2.0004456204306322, 3.7} {
		g := guarantee{Mu: mu}
		if got, want := percentUp(g.Guess(big.NewRat(1, 2))), percentOf(phi(precise(mu/2))); got != want {
			t.Errorf("mu %g: a guess at even odds is printed as %s, want %s", mu, got, want)
		}
		for _, p := range []float64{0.75, 0.9, 0.99, 0.1} {
			prior := new(big.Rat).SetFloat64(p)
			c := math.Log(p/(1-p)) / mu
			// p·Phi(mu/2 + c) + (1 - p)·Phi(mu/2 - c)
			want := new(big.Float).SetPrec(400).Mul(precise(p), phi(precise(mu/2+c)))
			want.Add(want, new(big.Float).SetPrec(400).Mul(new(big.Float).SetPrec(400).Sub(precise(1), precise(p)),
				phi(precise(mu/2-c))))
			if math.Abs(mu/2+math.Abs(c)) > 12 {
				continue // the series loses its digits
			}
			if got := percentUp(g.Guess(prior)); got != percentOf(want) {
				t.Errorf("mu %g: a guess from %g is printed as %s, want %s", mu, p, got, percentOf(want))
			}
		}
	}
}

func TestTrueAlarmsAreExact(t *testing.T) {
	quantiles := map[float64]string{0.01: "-2.32634787404084110088", 0.001: "-3.09023230616781354152",
		0.05: "-1.64485362695147271486"}
	for a, text := range quantiles {
		z, _ := new(big.Float).SetPrec(400).SetString(text)
		for _, mu := range []float64{0.1, 0.2367043806634357, 1, 3} {
			want := percentOf(phi(new(big.Float).SetPrec(400).Add(z, precise(mu))))
			if got := percentUp(new(big.Rat).SetFloat64(guarantee{Mu: mu}.TruePositives(a))); got != want {
				t.Errorf("mu %g: true alarms at %g are printed as %s, want %s", mu, a, got, want)
			}
		}
	}
}

// A pure part alone gives the result of randomized response.
func TestPure(t *testing.T) {
	g := guarantee{Pure: 1}
	right := math.E / (1 + math.E)
	if got, _ := g.Guess(big.NewRat(1, 2)).Float64(); got < right || got > right+1e-12 {
		t.Errorf("a guess at even odds is right at most %v of the time, want %v", got, right)
	}
	if got := g.TruePositives(0.01); got < 0.01*math.E || got > 0.01*math.E+1e-9 {
		t.Errorf("true alarms %v, want %v", got, 0.01*math.E)
	}
	if eps, ok := g.Epsilon(1e-9); !ok || eps > 1 || eps < 0.999 {
		t.Errorf("epsilon %v at delta 1e-9", eps)
	}
}

// If two bounds hold for the same noise, each number is the smaller one of the two.
func TestBothBounds(t *testing.T) {
	both, gauss, pure := guarantee{Mu: 0.882, Pure: 1, Both: true}, guarantee{Mu: 0.882}, guarantee{Pure: 1}
	for _, eps := range []float64{0, 0.3, 0.7, 1, 2} {
		if got, want := both.Delta(eps), min(gauss.Delta(eps), pure.Delta(eps)); got != want {
			t.Errorf("at epsilon %g: delta %g, want %g", eps, got, want)
		}
	}
	for _, a := range []float64{1e-6, 0.01, 0.3} {
		if got, want := both.TruePositives(a), min(gauss.TruePositives(a), pure.TruePositives(a)); got != want {
			t.Errorf("true alarms at %g: %g, want %g", a, got, want)
		}
	}
	for _, delta := range []float64{1e-9, 1e-2, 0.3} {
		one, _ := gauss.Epsilon(delta)
		other, _ := pure.Epsilon(delta)
		if got, ok := both.Epsilon(delta); !ok || got != min(one, other) {
			t.Errorf("epsilon at %g: %g, want %g", delta, got, min(one, other))
		}
	}
}

// A pure part together with Gaussian noise is worse than either alone, and not worse than Gaussian noise of the mu at
// which the pure part is charged. A failure probability is added.
func TestParts(t *testing.T) {
	both, gauss, pure := guarantee{Mu: 1, Pure: 0.5}, guarantee{Mu: 1}, guarantee{Pure: 0.5}
	for _, eps := range []float64{-2, -0.3, 0, 0.4, 1, 3} {
		d := both.Delta(eps)
		if d < gauss.Delta(eps)-1e-12 || d < pure.Delta(eps)-1e-12 {
			t.Errorf("at epsilon %g the two parts together have delta %g, below that of one of them", eps, d)
		}
	}
	failing := guarantee{Mu: 1, Failure: 0.001}
	if d := failing.Delta(1) - gauss.Delta(1); math.Abs(d-0.001) > 1e-12 {
		t.Errorf("a failure of 0.001 adds %g to delta", d)
	}
	if d := failing.TruePositives(0.01) - gauss.TruePositives(0.01); math.Abs(d-0.001) > 1e-12 {
		t.Errorf("a failure of 0.001 adds %g to the true alarms", d)
	}
	more, _ := new(big.Rat).Sub(failing.Guess(big.NewRat(1, 2)), gauss.Guess(big.NewRat(1, 2))).Float64()
	if math.Abs(more-0.0005) > 1e-12 {
		t.Errorf("a failure of 0.001 adds %g to a guess at even odds", more)
	}
}

func TestRounding(t *testing.T) {
	for x, want := range map[float64]string{0.5: "50.00 %", 0.54711111: "54.72 %", 0.5472: "54.72 %", 1: "100.00 %"} {
		if got := percentUp(new(big.Rat).SetFloat64(x)); got != want && x != 0.5472 { // 0.5472 is no float64
			t.Errorf("%g is printed as %s, want %s", x, got, want)
		}
	}
	if got := percentDown(0.98599); got != "98.5 %" {
		t.Error(got)
	}
}

// For guarantees of all sizes, every number of the page is a valid probability or epsilon, and none is too large to
// print.
func TestAllGuarantees(t *testing.T) {
	for _, mu := range []float64{0, 1e-300, 1e-9, 1e-3, 1, 40, 1e3, 1e6, 1e150, 1e300, math.MaxFloat64} {
		for _, pure := range []float64{0, 1e-300, 1e-6, 1, 369, 370, 400, 700, 709, 710, 800, 1e3, 1e6, 1e300} {
			for _, failure := range []float64{0, 1e-300, 1e-9, 0.5} {
				for _, both := range []bool{false, true} {
					checkGuarantee(t, guarantee{mu, pure, failure, both})
				}
			}
		}
	}
}

func checkGuarantee(t *testing.T, g guarantee) {
	t.Helper()
	half, one := big.NewRat(1, 2), big.NewRat(1, 1)
	for _, b := range beliefs {
		p, _ := new(big.Rat).SetString(b)
		if guess := g.Guess(p); p.Cmp(half) >= 0 && guess.Cmp(p) < 0 || guess.Cmp(half) < 0 || guess.Cmp(one) > 0 {
			t.Errorf("%+v: a guess from %s is right with probability %s", g, b, guess.FloatString(5))
		}
	}
	for _, a := range falseAlarms {
		if x := g.TruePositives(a); !(x >= a*(1-1e-9) && x <= 1) {
			t.Errorf("%+v: %g of true alarms at %g of false ones", g, x, a)
		}
	}
	for _, delta := range []float64{1e-3, 1e-9} {
		if eps, ok := g.Epsilon(delta); ok && !(eps >= 0 && eps < math.Inf(1)) {
			t.Errorf("%+v: epsilon %g at delta %g", g, eps, delta)
		}
	}
	for _, p := range g.curve() {
		if !(p[0] >= 0 && p[1] >= 0 && p[1] <= 1) {
			t.Errorf("%+v: the curve passes %v", g, p)
		}
	}
}

package methods

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// TestConversionsBothWays checks that the parameter that is found for a guarantee implies this guarantee, and that a
// slightly larger parameter does not.
func TestConversionsBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		if g.Epsilon < 1e-12 || g.Epsilon > calibrate.MaxEpsilon/2 {
			return
		}
		order := 1 + math.Exp(rapid.Float64Range(-20, 40).Draw(t, "log of the order less 1"))
		implies(t, g, "renyi", func(by float64) (calibrate.Epsilon, error) {
			r, err := RenyiFor(g, order)
			if err != nil {
				return 0, err
			}
			r.Epsilon *= by
			return r.DPEpsilon(g.Delta)
		})
		implies(t, g, "mcdp", func(by float64) (calibrate.Epsilon, error) {
			c, err := MeanConcentratedFor(g)
			if err != nil {
				return 0, err
			}
			return MeanConcentrated{c.Mean * by, c.Spread * by}.DPEpsilon(g.Delta)
		})
		implies(t, g, "mcdp to pdp", func(by float64) (calibrate.Epsilon, error) {
			c, err := MeanConcentratedForPDP(g)
			if err != nil {
				return 0, err
			}
			return MeanConcentrated{c.Mean * by, c.Spread * by}.PDPEpsilon(g.Delta)
		})
	})
}

// implies checks that find(1) is within g's epsilon and, unless the parameter hardly matters there, that find(1 + 1e-6)
// is above it.
func implies(t *rapid.T, g calibrate.Guarantee, name string, find func(by float64) (calibrate.Epsilon, error)) {
	eps, err := find(1)
	var bad *calibrate.ArgumentError
	if err != nil {
		if !errors.As(err, &bad) {
			t.Fatalf("error %v, want a %T", err, bad)
		}
		return
	}
	if float64(eps) > math.Nextafter(float64(g.Epsilon), math.Inf(1)) {
		t.Fatalf("%s: %v: epsilon = %v", name, g, eps)
	}
	more, err := find(1 + 1e-6)
	if eps > 0 && err == nil && more <= g.Epsilon && more > eps*(1+1e-9) {
		t.Fatalf("%s: %v: more would do: epsilon = %v", name, g, more)
	}
	// 1e-14 exceeds the last digit of the parameter, which is at most 32 if it is far above epsilon.
	if eps < g.Epsilon*(1-1e-6)-1e-14 && more > eps {
		t.Fatalf("%s: %v: epsilon is only %v", name, g, eps)
	}
}

// TestTightZCDPIsBetweenExactAndSimple checks that the tight rule for zCDP allows at least as much as the simple rule
// and at most as much as the exact curve, and that no other Renyi order is better.
func TestTightZCDPIsBetweenExactAndSimple(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		rho, err := TightZCDPRho(g)
		if err != nil {
			return
		}
		simple, _ := ZCDPRho(g)
		eps, err := rho.TightEpsilon(g.Delta)
		if err != nil || rho < simple || eps > max(g.Epsilon, loosest(simple, g.Delta)) {
			t.Fatalf("%v: rho = %v (simple: %v) implies epsilon = %v, %v", g, rho, simple, eps, err)
		}
		if more, err := (rho * (1 + 1e-9)).TightEpsilon(g.Delta); err == nil && more <= g.Epsilon && rho > 0x1p-900 {
			t.Fatalf("%v: rho = %v, though more implies epsilon = %v", g, rho, more)
		}
		loose, err := rho.Epsilon(g.Delta)
		if err == nil && eps > loose {
			t.Fatalf("%v: %v is above the simple rule's %v", rho, eps, loose)
		}
		mu, err := rho.Mu()
		if err != nil || mu == 0 {
			return
		}
		if most, _ := calibrate.GaussianMu(g); mu > most {
			t.Fatalf("%v: rho = %v allows mu = %v, the exact curve %v", g, rho, mu, most)
		}
		otherOrder(t, rho, g.Delta, eps)
	})
}

// loosest returns the simple rule's epsilon at its own largest rho: at most an ulp above the epsilon that rho was found
// for.
func loosest(rho Rho, delta calibrate.Delta) calibrate.Epsilon {
	eps, err := rho.Epsilon(delta)
	if err != nil {
		return 0
	}
	return eps
}

// otherOrder checks that no other order serves better.
func otherOrder(t *rapid.T, rho Rho, delta calibrate.Delta, eps calibrate.Epsilon) {
	best, err := rho.BestRenyi(delta)
	if err != nil {
		return
	}
	for _, by := range []float64{0.5, 0.99, 1.01, 2} {
		r, err := rho.renyi(1 + (best.Alpha-1)*by)
		if err != nil || r.Alpha <= 1 {
			continue
		}
		if at, err := r.DPEpsilon(delta); err == nil && float64(at) < float64(eps)*(1-1e-9) {
			t.Fatalf("rho = %v, delta = %v: order %v gives %v, order %v %v", rho, delta, r.Alpha, at, best.Alpha, eps)
		}
	}
}

// TestNoiseRoutesCostWhatIsKnown checks the cost of each route at epsilon 1 and delta 1e-6, as the documentation has
// it. The exact route costs nothing.
func TestNoiseRoutesCostWhatIsKnown(t *testing.T) {
	routes, err := NoiseRoutes(calibrate.Guarantee{Epsilon: 1, Delta: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"gaussian": 0, "pdp": 0.1636, "renyi": 0.0725, "zcdp": 0.2664, "mcdp-dp": 0.2664,
		"mcdp-pdp": 0.2967, "zcdp-tight": 0.0725}
	for _, r := range routes {
		if r.Err != nil || math.Abs(r.Excess-want[r.Name]) > 5e-4 {
			t.Errorf("%s: mu = %v, %+.4f, %v; want %+.4f", r.Name, r.Mu, r.Excess, r.Err, want[r.Name])
		}
	}
}

// TestNoiseRoutesAreSafe checks that no route allows less noise than the exact curve.
func TestNoiseRoutesAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routes, err := NoiseRoutes(drawGuarantee(t, "g"))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range routes {
			if r.Err == nil && !(r.Excess >= 0) || r.Err != nil && !errors.As(r.Err, new(*calibrate.ArgumentError)) {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// TestConversionsAnswerOrNameAnArgument checks that every conversion returns a valid answer or an error that names an
// argument, for all pairs of extreme and invalid arguments.
func TestConversionsAnswerOrNameAnArgument(t *testing.T) {
	owntest.Slow(t)
	const names = "epsilon delta mu rho alpha omega mean spread sensitivity"
	for _, x := range curvetest.Odd {
		for i, y := range curvetest.Odd {
			if testing.Short() && i%4 > 0 {
				continue
			}
			at := fmt.Sprintf("(%v, %v)", x, y)
			answer := func(call string, most float64) func(x float64, err error) {
				return func(got float64, err error) {
					t.Helper()
					curvetest.MustAnswer(t, call+at, got, 0, most, err, names)
				}
			}
			oddNotions(answer, x, y)
			for i, z := range curvetest.Odd {
				if testing.Short() && i%5 > 0 {
					continue
				}
				at = fmt.Sprintf("(%v, %v, %v)", x, y, z)
				g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(x), Delta: calibrate.Delta(y)}
				r, err := RenyiFor(g, z)
				answer("RenyiFor", math.MaxFloat64)(r.Epsilon, err)
			}
		}
	}
}

func oddNotions(answer func(string, float64) func(float64, error), x, y float64) {
	eps, err := Rho(x).TightEpsilon(calibrate.Delta(y))
	answer("TightEpsilon", calibrate.MaxEpsilon)(float64(eps), err)
	r, err := Rho(x).BestRenyi(calibrate.Delta(y))
	answer("BestRenyi", math.MaxFloat64)(r.Epsilon, err)
	rho, err := TightZCDPRho(calibrate.Guarantee{Epsilon: calibrate.Epsilon(x), Delta: calibrate.Delta(y)})
	answer("TightZCDPRho", math.MaxFloat64)(float64(rho), err)
	r, err = BestRenyiFor(calibrate.Guarantee{Epsilon: calibrate.Epsilon(x), Delta: calibrate.Delta(y)})
	answer("BestRenyiFor", math.MaxFloat64)(r.Epsilon, err)
	c, err := MeanConcentratedFor(calibrate.Guarantee{Epsilon: calibrate.Epsilon(x), Delta: calibrate.Delta(y)})
	answer("MeanConcentratedFor", math.MaxFloat64)(c.Mean, err)
	c, err = MeanConcentratedForPDP(calibrate.Guarantee{Epsilon: calibrate.Epsilon(x), Delta: calibrate.Delta(y)})
	answer("MeanConcentratedForPDP", math.MaxFloat64)(c.Spread, err)
	mu, err := MeanConcentrated{x, y}.Mu()
	answer("MeanConcentrated.Mu", math.MaxFloat64)(float64(mu), err)
	sigma, err := calibrate.Mu(x).Sigma(calibrate.Sensitivity{L2: y})
	answer("Mu.Sigma", math.MaxFloat64)(float64(sigma), err)
	if err == nil && !(calibrate.Mechanism{Sens: calibrate.Sensitivity{L2: y}, Sigma: sigma}.Mu() <= calibrate.Mu(x)) {
		answer("a sigma whose mu is larger", 0)(1, nil)
	}
	if routes, err := NoiseRoutes(calibrate.Guarantee{Epsilon: calibrate.Epsilon(x),
		Delta: calibrate.Delta(y)}); err == nil {
		for _, r := range routes {
			answer("route "+r.Name, math.MaxFloat64)(float64(r.Mu), r.Err)
		}
	}
}

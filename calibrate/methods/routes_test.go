package methods

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
)

func drawMu(t *rapid.T) calibrate.Mu {
	return calibrate.Mu(math.Exp(rapid.OneOf(rapid.Float64Range(-6, 3), rapid.Float64Range(-600, 6)).Draw(t, "log mu")))
}

// TestRoutesAreSafe checks that no conversion promises a smaller epsilon than the exact curve, and that two conversions
// with the same formula for Gaussian noise agree.
func TestRoutesAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu, delta := drawMu(t), drawGuarantee(t, "g").Delta
		routes, err := Routes(mu, delta)
		if err != nil {
			return
		}
		by := map[string]calibrate.Epsilon{}
		for _, r := range routes {
			if r.Err == nil && (r.Epsilon < routes[0].Epsilon || math.IsNaN(float64(r.Epsilon))) {
				t.Fatalf("%s says epsilon = %v, the exact one is %v", r.Name, r.Epsilon, routes[0].Epsilon)
			}
			if by[r.Name] = r.Epsilon; r.Err != nil && !errors.As(r.Err, new(*calibrate.ArgumentError)) {
				t.Fatal(r.Err)
			}
		}
		if routes[3].Err == nil && mu > 1e-150 && math.Abs(float64(by["zcdp"]/by["mcdp-dp"])-1) > 1e-13 {
			t.Fatalf("zcdp %v and mcdp %v are the same formula for Gaussian noise", by["zcdp"], by["mcdp-dp"])
		}
	})
}

// TestRoutesCostWhatIsKnown checks how much each route costs at epsilon 1 and delta 1e-6.
func TestRoutesCostWhatIsKnown(t *testing.T) {
	g := calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}
	mu, err := calibrate.GaussianMu(g)
	if err != nil {
		t.Fatal(err)
	}
	rho, err := ZCDPRho(g)
	if err != nil {
		t.Fatal(err)
	}
	small, err := rho.Mu()
	if cost := float64(mu/small) - 1; err != nil || math.Abs(cost-0.26636) > 1e-5 {
		t.Errorf("the zCDP route costs %v, %v", cost, err)
	}
	routes, err := Routes(mu, g.Delta)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, 0.16559, 0.08661, 0.27226, 0.27226, 0.30309} {
		if r := routes[i]; r.Err != nil || math.Abs(r.Excess-want) > 1e-5 {
			t.Errorf("%s: %v, %+.4f, %v", r.Name, r.Epsilon, r.Excess, r.Err)
		}
	}
}

// TestZCDPBothWays checks that the rho that is found for a guarantee implies the guarantee's epsilon, nearly exactly,
// and that its noise is the noise of the closed form.
func TestZCDPBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		rho, err := ZCDPRho(g)
		if err != nil || rho < 1e-290 || g.Epsilon > calibrate.MaxEpsilon/2 {
			return
		}
		eps, err := rho.Epsilon(g.Delta)
		if err != nil || eps > g.Epsilon*(1+1e-15) || eps < g.Epsilon*(1-1e-14) {
			t.Fatalf("%v: rho = %v implies epsilon = %v, %v", g, rho, eps, err)
		}
		mu, err := rho.Mu()
		sigma, err2 := ZCDP.Formula(calibrate.Sensitivity{L2: 1}, g)
		if err != nil || err2 == nil && math.Abs(float64(mu)*float64(sigma)-1) > 1e-14 {
			t.Fatalf("%v: mu = %v, the closed form's sigma %v: %v, %v", g, mu, sigma, err, err2)
		}
	})
}

// TestRenyiBothWays checks that mu can be computed back from the Renyi curve of Gaussian noise. The conversion to
// epsilon is between the exact epsilon and Mironov's simpler rule.
func TestRenyiBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := calibrate.Mu(rapid.Float64Range(1e-3, 30).Draw(t, "mu"))
		alpha := 1 + math.Exp(rapid.Float64Range(-8, 8).Draw(t, "log alpha"))
		r, err := GaussianRenyi(mu, alpha)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := r.Mu(); err != nil || math.Abs(float64(back/mu)-1) > 1e-15*4 {
			t.Fatalf("mu = %v comes back as %v, %v", mu, back, err)
		}
		delta := calibrate.Delta(math.Exp(rapid.Float64Range(-60, -0.1).Draw(t, "log delta")))
		eps, err := r.DPEpsilon(delta)
		if err != nil {
			return
		}
		if simple := r.Epsilon - math.Log(float64(delta))/(alpha-1); float64(eps) > simple*(1+1e-12) {
			t.Fatalf("%v is above Mironov's %v", eps, simple)
		}
		if exact, err := calibrate.GaussianEpsilon(delta, mu); err != nil || eps < exact {
			t.Fatalf("%v is below the exact %v, %v", eps, exact, err)
		}
	})
}

// TestProbabilisticPrivacyBothWays checks that the sigma of PDPOpt meets the definition of probabilistic privacy
// tightly, that its two curves are inverse to each other, and that delta is at least the delta of differential privacy,
// which it implies.
func TestProbabilisticPrivacyBothWays(t *testing.T) {
	for _, g := range []calibrate.Guarantee{{Epsilon: 1, Delta: 1e-6}, {Epsilon: 0.1, Delta: 1e-3},
		{Epsilon: 10, Delta: 0.2}, {Epsilon: 100, Delta: 1e-12}} {
		sigma, err := PDPOpt.Sigma(calibrate.Sensitivity{L2: 1}, g)
		if err != nil {
			t.Fatal(err)
		}
		mu := calibrate.Mu(1 / float64(sigma))
		delta, err := GaussianPDPDelta(g.Epsilon, mu)
		if err != nil || math.Abs(float64(delta/g.Delta)-1) > 1e-11 {
			t.Errorf("%v: delta is %v, %v", g, delta, err)
		}
		eps, err := GaussianPDPEpsilon(delta, mu)
		if err != nil || math.Abs(float64(eps/g.Epsilon)-1) > 1e-12 {
			t.Errorf("%v: epsilon is %v, %v", g, eps, err)
		}
		exact, err := calibrate.GaussianDelta(g.Epsilon, mu)
		if err != nil {
			t.Fatal(err)
		}
		if delta < exact {
			t.Errorf("%v: delta is %v, below that of differential privacy, %v, which it implies", g, delta, exact)
		}
	}
}

// TestSigmaBoundsAreOnTheirSides checks that every lower bound is at most the smallest valid sigma, and every upper
// bound at least that.
func TestSigmaBoundsAreOnTheirSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		all, err := SigmaBounds(calibrate.Sensitivity{L2: 3}, g)
		if err != nil {
			t.Fatal(err)
		}
		least := calibrate.Sigma(mustSigma(t, 3, g))
		for _, b := range all {
			if b.Lower && b.Sigma > least || !b.Lower && b.Sigma < calibrate.Sigma(math.Nextafter(float64(least), 0)) {
				t.Fatalf("%v: %+v, but the least sigma is %v", g, b, least)
			}
		}
	})
	// there Theorem 4 as printed is wrong
	misprint, err := SigmaBounds(calibrate.Sensitivity{L2: 1}, calibrate.Guarantee{Epsilon: 1, Delta: 0.4})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range misprint {
		if b.Name == "balle-wang-4" {
			t.Errorf("Theorem 4 applies at (1, 0.4): %+v", b)
		}
	}
}

// TestConversionsAreFiniteOrNamed checks that no conversion panics, or returns NaN, infinity or a negative number
// without an error.
func TestConversionsAreFiniteOrNamed(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, 1e-310, 1e-160, 1e-3, 0.5, 1, 1 + 0x1p-52, 3,
		1e6, 1e154, 1e308}
	check := func(name string, x float64, err error) {
		t.Helper()
		if err == nil && (math.IsNaN(x) || math.IsInf(x, 0) || x < 0) || err != nil &&
			!errors.As(err, new(*calibrate.ArgumentError)) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	for _, x := range odd {
		rho, err := GaussianRho(calibrate.Mu(x))
		check("rho", float64(rho), err)
		mu, err := Rho(x).Mu()
		check("rho to mu", float64(mu), err)
		for _, y := range odd {
			eps, err := Rho(x).Epsilon(calibrate.Delta(y))
			check("zcdp epsilon", float64(eps), err)
			rho, err = ZCDPRho(calibrate.Guarantee{Epsilon: calibrate.Epsilon(x), Delta: calibrate.Delta(y)})
			check("zcdp rho", float64(rho), err)
			r, err := GaussianRenyi(calibrate.Mu(x), y)
			check("renyi", r.Epsilon, err)
			mu, err = Renyi{x, y}.Mu()
			check("renyi mu", float64(mu), err)
			delta, err := GaussianPDPDelta(calibrate.Epsilon(x), calibrate.Mu(y))
			check("pdp delta", float64(delta), err)
			eps, err = GaussianPDPEpsilon(calibrate.Delta(x), calibrate.Mu(y))
			check("pdp epsilon", float64(eps), err)
			eps, err = MeanConcentrated{x, y}.PDPEpsilon(1e-6)
			check("mcdp", float64(eps), err)
			for _, z := range []float64{1e-300, 0.5, 1 - 0x1p-53} {
				eps, err = Renyi{x, y}.DPEpsilon(calibrate.Delta(z))
				check("renyi epsilon", float64(eps), err)
			}
			_, err = Routes(calibrate.Mu(x), calibrate.Delta(y))
			check("routes", 0, err)
			_, err = SigmaBounds(calibrate.Sensitivity{L2: x}, calibrate.Guarantee{Epsilon: 1, Delta: calibrate.Delta(y)})
			check("bounds", 0, err)
		}
	}
}

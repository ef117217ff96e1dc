package calibrate

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"pgregory.net/rapid"
)

func mustSigma(t *rapid.T, l2 float64, g Guarantee) float64 {
	sigma, err := AnalyticGaussian(Sensitivity{L2: l2}, g)
	if err != nil {
		t.Fatal(err)
	}
	return float64(sigma)
}

// TestWeakerGuaranteesNeverNeedMoreNoise checks that a weaker guarantee never needs more noise, and a larger
// sensitivity never less.
func TestWeakerGuaranteesNeverNeedMoreNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, h := drawGuarantee(t, "g"), drawGuarantee(t, "h")
		weak := Guarantee{max(g.Epsilon, h.Epsilon), max(g.Delta, h.Delta)}
		if mustSigma(t, 1, weak) > min(mustSigma(t, 1, g), mustSigma(t, 1, h)) {
			t.Fatalf("%v needs more noise than %v or %v", weak, g, h)
		}
		less, more := rapid.Float64Range(0.5, 1).Draw(t, "less"), rapid.Float64Range(1, 2).Draw(t, "more")
		if mustSigma(t, less, g) > mustSigma(t, more, g) {
			t.Fatalf("L2 = %v needs more noise than %v", less, more)
		}
	})
}

// TestSigmaIsMonotoneBetweenNeighbours checks that sigma does not grow if epsilon and delta are each replaced by the
// next float64.
func TestSigmaIsMonotoneBetweenNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		up := Guarantee{Epsilon(math.Nextafter(float64(g.Epsilon), 2*MaxEpsilon)), Delta(math.Nextafter(float64(g.Delta), 1))}
		if up.Epsilon > MaxEpsilon || up.Delta >= 1 {
			up = g
		}
		if mustSigma(t, 1, up) > mustSigma(t, 1, g) {
			t.Fatalf("%v needs more noise than %v", up, g)
		}
	})
}

// TestSigmaScalesWithSensitivity checks that sigma is proportional to the sensitivity: exactly for powers of two, and
// to within 2^-51 for other factors.
func TestSigmaScalesWithSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		g.Delta = max(g.Delta, 1e-200) // else sigma(2^300) may not be finite
		one := mustSigma(t, 1, g)
		power := math.Exp2(float64(rapid.IntRange(-300, 300).Draw(t, "power")))
		if got := mustSigma(t, power, g); got != one*power && !math.IsInf(one*power, 0) && one*power > 0x1p-1020 {
			t.Fatalf("sigma(%g) = %v, not %v", power, got, one*power)
		}
		factor := rapid.Float64Range(1e-6, 1e6).Draw(t, "factor")
		if got := mustSigma(t, factor, g); math.Abs(got/(one*factor)-1) > 0x1p-51 {
			t.Fatalf("sigma(%g) = %v, not about %v", factor, got, one*factor)
		}
	})
}

// TestInversesAgree checks that sigma, delta, epsilon and mu are consistent: at the sigma for a guarantee, delta and
// epsilon are at most the guarantee's.
func TestInversesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		sigma := Sigma(mustSigma(t, 1, g))
		m := Mechanism{Sens: Sensitivity{L2: 1}, Sigma: sigma}
		delta, err := m.Delta(g.Epsilon)
		if err != nil || delta > g.Delta {
			t.Fatalf("delta(sigma(%v)) = %v, %v", g, delta, err)
		}
		eps, err := m.Epsilon(g.Delta)
		if err != nil || eps > g.Epsilon {
			t.Fatalf("epsilon(sigma(%v)) = %v, %v", g, eps, err)
		}
		mu, err := GaussianMu(g)
		if err != nil || !(mu > 0) || math.Abs(float64(mu)*float64(sigma)-1) > 0x1p-51 {
			t.Fatalf("mu(%v) = %v, %v; sigma = %v", g, mu, err, sigma)
		}
	})
}

// TestDeltaFallsWithEpsilonAndGrowsWithMu checks that delta does not grow with epsilon and does not fall with mu.
func TestDeltaFallsWithEpsilonAndGrowsWithMu(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		mu, err := GaussianMu(g)
		if err != nil {
			t.Fatal(err)
		}
		base := mustDelta(t, g.Epsilon, mu)
		farther := Epsilon(math.Min(MaxEpsilon, float64(g.Epsilon)*rapid.Float64Range(1, 1.5).Draw(t, "factor")))
		if mustDelta(t, farther, mu) > base {
			t.Fatalf("delta grows from epsilon = %v to %v at mu = %v", g.Epsilon, farther, mu)
		}
		if mustDelta(t, g.Epsilon, mu*Mu(rapid.Float64Range(1, 1.5).Draw(t, "mu factor"))) < base {
			t.Fatalf("delta falls with mu above %v at %v", mu, g.Epsilon)
		}
	})
}

func mustDelta(t *rapid.T, eps Epsilon, mu Mu) Delta {
	delta, err := GaussianDelta(eps, mu)
	if err != nil || !(delta > 0 && delta <= 1) {
		t.Fatalf("delta(%v; %v) = %v, %v", eps, mu, delta, err)
	}
	return delta
}

// drawGuarantee draws from the whole range of guarantees.
func drawGuarantee(t *rapid.T, label string) Guarantee {
	eps, delta := curvetest.DrawEpsilonDelta(t, label)
	return Guarantee{Epsilon(eps), Delta(delta)}
}

// TestZ95IsTheNormalQuantile recomputes the half-width of a 95 % interval.
func TestZ95IsTheNormalQuantile(t *testing.T) {
	o := curvetest.OracleOf(300)
	limit := o.Of(0.025)
	if o.Tail(o.Of(Z95)).Cmp(limit) > 0 || o.Tail(o.Of(math.Nextafter(Z95, 0))).Cmp(limit) <= 0 {
		t.Errorf("Z95 = %v is not the least float64 above the quantile", Z95)
	}
}

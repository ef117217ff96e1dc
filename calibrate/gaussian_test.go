package calibrate

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
	"github.com/dprelease/dprelease/internal/owntest"
)

func init() { owntest.DrawLess() }

func randomSensitivity(r *rand.Rand) float64 {
	switch r.Intn(4) {
	case 0:
		return 1
	case 1:
		return math.Pow(10, 600*r.Float64()-307)
	}
	return math.Pow(10, 6*r.Float64()-3)
}

// mustMeet checks against the oracle that the mechanism meets (eps, delta).
func mustMeet(t *testing.T, eps, num, den, delta float64) {
	t.Helper()
	if d := curvetest.OracleDelta(eps, num, den); d.Cmp(big.NewFloat(delta)) > 0 {
		t.Errorf("eps = %g, delta = %g: mu = %g/%g gives delta %.20g", eps, delta, num, den, d)
	}
}

// mustFail checks against the oracle that the mechanism does not meet (eps, delta).
func mustFail(t *testing.T, eps, num, den, delta float64) {
	t.Helper()
	if d := curvetest.OracleDelta(eps, num, den); d.Cmp(big.NewFloat(delta)) <= 0 {
		t.Errorf("eps = %g, delta = %g: mu = %g/%g would do, it gives delta %.20g", eps, delta, num, den, d)
	}
}

// TestSigmaIsLeast checks that sigma meets the guarantee and that the float64 below it does not, at random arguments
// over the whole range.
func TestSigmaIsLeast(t *testing.T) {
	owntest.Slow(t)
	r := curvetest.NewRand(t)
	for range curvetest.Points(250, 20000) {
		eps, delta, l2 := curvetest.RandomEpsilon(r), curvetest.RandomDelta(r), randomSensitivity(r)
		sigma, err := AnalyticGaussian(Sensitivity{L2: l2}, Guarantee{Epsilon(eps), Delta(delta)})
		if err != nil {
			mustOverflow(t, eps, delta, l2)
			continue
		}
		if curvetest.TooSlow(r, l2/float64(sigma)) {
			continue
		}
		mustMeet(t, eps, l2, float64(sigma), delta)
		if below := math.Nextafter(float64(sigma), 0); below > 0 {
			mustFail(t, eps, l2, below, delta)
		}
	}
}

// mustOverflow checks that no float64 is a sufficient sigma.
func mustOverflow(t *testing.T, eps, delta, l2 float64) {
	t.Helper()
	mustFail(t, eps, l2, math.MaxFloat64, delta)
}

// TestMuIsLargest checks that mu meets the guarantee and that the float64 above it does not.
func TestMuIsLargest(t *testing.T) {
	r := curvetest.NewRand(t)
	for range curvetest.Points(150, 10000) {
		eps, delta := curvetest.RandomEpsilon(r), curvetest.RandomDelta(r)
		mu, err := GaussianMu(Guarantee{Epsilon(eps), Delta(delta)})
		if err != nil {
			t.Fatal(err)
		}
		if curvetest.TooSlow(r, float64(mu)) {
			continue
		}
		mustMeet(t, eps, float64(mu), 1, delta)
		mustFail(t, eps, math.Nextafter(float64(mu), math.Inf(1)), 1, delta)
	}
}

// randomMu returns a mu for which some epsilon up to MaxEpsilon meets delta, more often than not.
func randomMu(r *rand.Rand, delta float64) float64 {
	if r.Intn(4) == 0 {
		return math.Pow(10, 3.5*r.Float64()-1)
	}
	return curvetest.MuAtX(curvetest.RandomEpsilon(r), numeric.RoughQuantile(delta)-r.Float64())
}

// TestEpsilonIsLeast checks that epsilon meets the guarantee and that the float64 below it does not.
func TestEpsilonIsLeast(t *testing.T) {
	r := curvetest.NewRand(t)
	zero, beyond := 0, 0
	for range curvetest.Points(150, 10000) {
		delta := curvetest.RandomDelta(r)
		mu := randomMu(r, delta)
		if !(mu > 0) || curvetest.TooSlow(r, mu) {
			continue
		}
		eps, err := GaussianEpsilon(Delta(delta), Mu(mu))
		switch {
		case err != nil:
			mustFail(t, MaxEpsilon, mu, 1, delta)
			beyond++
			continue
		case eps == 0:
			zero++
		default:
			mustFail(t, math.Nextafter(float64(eps), 0), mu, 1, delta)
		}
		mustMeet(t, float64(eps), mu, 1, delta)
	}
	t.Logf("%d are 0, %d are beyond the range", zero, beyond)
}

// TestTinyEpsilonIsLeast does the same as TestEpsilonIsLeast for deltas just below delta(0). Epsilon is then so small a
// difference that double-doubles cannot resolve it.
func TestTinyEpsilonIsLeast(t *testing.T) {
	r := curvetest.NewRand(t)
	for range curvetest.Points(20, 500) {
		mu := math.Pow(10, 4*r.Float64()-3)
		at0, err := GaussianDelta(0, Mu(mu))
		if err != nil {
			t.Fatal(err)
		}
		delta := math.Nextafter(float64(at0), 0)
		eps, err := GaussianEpsilon(Delta(delta), Mu(mu))
		if err != nil {
			t.Fatal(err)
		}
		if delta >= 1-0x1p-50 {
			continue
		}
		if eps <= 0 || eps > 1e-9 {
			t.Fatalf("mu = %g: epsilon = %g", mu, float64(eps))
		}
		mustMeet(t, float64(eps), mu, 1, delta)
		mustFail(t, math.Nextafter(float64(eps), 0), mu, 1, delta)
	}
}

// TestDeltaIsLeast checks that delta is at least the exact value, and that the float64 below it is not.
func TestDeltaIsLeast(t *testing.T) {
	for _, p := range curvetest.SamplePoints(t, 200, 10000) {
		m := Mechanism{Sens: Sensitivity{L2: p.Num}, Sigma: Sigma(p.Den)}
		got, err := m.Delta(Epsilon(p.Eps))
		if err != nil {
			t.Fatal(err)
		}
		exact := curvetest.OracleDelta(p.Eps, p.Num, p.Den)
		if big.NewFloat(float64(got)).Cmp(exact) < 0 {
			t.Errorf("eps = %g, mu = %g/%g: delta %g is below %.20g", p.Eps, p.Num, p.Den, float64(got), exact)
		}
		if below := math.Nextafter(float64(got), 0); below > 0 && big.NewFloat(below).Cmp(exact) >= 0 {
			t.Errorf("eps = %g, mu = %g/%g: delta %g could be %g", p.Eps, p.Num, p.Den, float64(got), below)
		}
	}
}

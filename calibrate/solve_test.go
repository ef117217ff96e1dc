package calibrate

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// points is how many random points a test against extended precision takes: few, many at full size, a fifth in a hurry.
func points(few, many int) int {
	switch {
	case long():
		return many
	case testing.Short():
		return few / 5
	}
	return few
}

// tooSlow says whether to leave out a point whose tiny mu would cost the oracle thousands of bits; one in four stays.
func tooSlow(r *rand.Rand, mu float64) bool {
	return !long() && mu < 0x1p-150 && r.Intn(4) > 0
}

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
	if d := oracleDelta(eps, num, den); d.Cmp(big.NewFloat(delta)) > 0 {
		t.Errorf("eps = %g, delta = %g: mu = %g/%g gives delta %.20g", eps, delta, num, den, d)
	}
}

// mustFail checks against the oracle that it does not: that the answer beside it was the extreme one.
func mustFail(t *testing.T, eps, num, den, delta float64) {
	t.Helper()
	if d := oracleDelta(eps, num, den); d.Cmp(big.NewFloat(delta)) <= 0 {
		t.Errorf("eps = %g, delta = %g: mu = %g/%g would do, it gives delta %.20g", eps, delta, num, den, d)
	}
}

// TestSigmaIsLeast: sigma meets the definition and the float64 below it does not, at random inputs over the whole range.
func TestSigmaIsLeast(t *testing.T) {
	r := newRand(t)
	for range points(250, 20000) {
		eps, delta, l2 := randomEpsilon(r), randomDelta(r), randomSensitivity(r)
		sigma, err := AnalyticGaussian(Sensitivity{L2: l2}, Guarantee{Epsilon(eps), Delta(delta)})
		if err != nil {
			mustOverflow(t, eps, delta, l2)
			continue
		}
		if tooSlow(r, l2/float64(sigma)) {
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

// TestMuIsLargest: mu meets the definition and the float64 above it does not.
func TestMuIsLargest(t *testing.T) {
	r := newRand(t)
	for range points(150, 10000) {
		eps, delta := randomEpsilon(r), randomDelta(r)
		mu, err := GaussianMu(Guarantee{Epsilon(eps), Delta(delta)})
		if err != nil {
			t.Fatal(err)
		}
		if tooSlow(r, float64(mu)) {
			continue
		}
		mustMeet(t, eps, float64(mu), 1, delta)
		mustFail(t, eps, math.Nextafter(float64(mu), math.Inf(1)), 1, delta)
	}
}

// randomMu is a mu for which some epsilon up to MaxEpsilon meets delta, more often than not.
func randomMu(r *rand.Rand, delta float64) float64 {
	if r.Intn(4) == 0 {
		return math.Pow(10, 3.5*r.Float64()-1)
	}
	return muAt(randomEpsilon(r), roughQuantile(delta)-r.Float64())
}

// TestEpsilonIsLeast: epsilon meets the definition and the float64 below it does not.
func TestEpsilonIsLeast(t *testing.T) {
	r := newRand(t)
	zero, beyond := 0, 0
	for range points(150, 10000) {
		delta := randomDelta(r)
		mu := randomMu(r, delta)
		if !(mu > 0) || tooSlow(r, mu) {
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

// TestTinyEpsilon: delta(0) is so close above delta that epsilon is a difference far below double-double's.
func TestTinyEpsilon(t *testing.T) {
	r := newRand(t)
	for range points(20, 500) {
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

// TestDeltaIsLeast: delta is not below the exact value, and the float64 below it is.
func TestDeltaIsLeast(t *testing.T) {
	for _, p := range samplePoints(t, 200, 10000) {
		m := Mechanism{Sens: Sensitivity{L2: p.num}, Sigma: Sigma(p.den)}
		got, err := m.Delta(Epsilon(p.eps))
		if err != nil {
			t.Fatal(err)
		}
		exact := oracleDelta(p.eps, p.num, p.den)
		if big.NewFloat(float64(got)).Cmp(exact) < 0 {
			t.Errorf("eps = %g, mu = %g/%g: delta %g is below %.20g", p.eps, p.num, p.den, float64(got), exact)
		}
		if below := math.Nextafter(float64(got), 0); below > 0 && big.NewFloat(below).Cmp(exact) >= 0 {
			t.Errorf("eps = %g, mu = %g/%g: delta %g could be %g", p.eps, p.num, p.den, float64(got), below)
		}
	}
}

// TestBoundaryWithoutSolver: the search finds the same answer if the solver's candidate is useless.
func TestBoundaryWithoutSolver(t *testing.T) {
	r := newRand(t)
	for _, guess := range []float64{0, 5e-324, 1e-300, 1, 1e300, math.Inf(1), math.NaN()} {
		eps, delta := math.Pow(10, 6*r.Float64()-4), math.Pow(10, -12*r.Float64())
		want, err := AnalyticGaussian(Sensitivity{L2: 1}, Guarantee{Epsilon(eps), Delta(delta)})
		if err != nil {
			t.Fatal(err)
		}
		got, found := boundary(guess, true, false, func(sigma float64) bool {
			return sigma > 0 && meets(eps, quotient{1, sigma}, delta)
		})
		if !found || got != float64(want) {
			t.Errorf("from %g: %v, %v; want %v", guess, got, found, want)
		}
	}
	if got, found := boundary(1, true, true, func(float64) bool { return false }); found {
		t.Errorf("found %g where nothing is", got)
	}
	if got, found := boundary(1, true, false, func(float64) bool { return true }); !found || got != 0 {
		t.Errorf("where all holds: %g, %v", got, found)
	}
}

// TestSolversConverge: the candidates are good enough to be sure, so that the search is the exception.
func TestSolversConverge(t *testing.T) {
	r := newRand(t)
	for range 20000 {
		eps, delta := randomEpsilon(r), randomDelta(r)
		if _, sure := solveMu(eps, delta); !sure {
			t.Errorf("eps = %g, delta = %g: not solved for mu", eps, delta)
		}
	}
}

// TestExtendedDecides: at the exact boundary double-double must not decide, and extended precision must.
func TestExtendedDecides(t *testing.T) {
	const eps, delta = 1.0, 1e-6
	mu, sure := solveMu(eps, delta)
	if !sure {
		t.Fatal("not solved")
	}
	near := mu
	for range 4 {
		excess := bigDelta(bigOf(eps), near.big())
		excess.Sub(excess, bigOf(delta))
		gap, _ := excess.Float64()
		p := curve(wideOf(eps), near)
		near = near.widen(-gap / (p.slope * delta))
	}
	if c := curve(wideOf(eps), near).compare(delta); c != 0 {
		t.Errorf("double-double claims to decide at the boundary: %d", c)
	}
	less, more := near.widen(-0x1p-90).big(), near.widen(0x1p-90).big()
	if !bigMeets(eps, less, delta) || bigMeets(eps, more, delta) {
		t.Error("extended precision does not separate mu·(1 ± 2^-90)")
	}
}

package methods

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
)

// gaussianAt returns the Gaussian curve for any real eps.
func gaussianAt(t *testing.T, eps float64, mu calibrate.Mu) float64 {
	t.Helper()
	d, err := calibrate.GaussianDelta(calibrate.Epsilon(math.Abs(eps)), mu)
	if err != nil {
		t.Fatal(err)
	}
	if eps < 0 {
		return 1 - math.Exp(eps) + math.Exp(eps)*float64(d)
	}
	return float64(d)
}

// gaussianAndLaplace returns the exact joint delta of a Gaussian and a Laplace mechanism: the Gaussian curve, averaged
// over the Laplace mechanism's loss l. The loss is between -most and most, with the density e^(-(most-l)/2)/4 inside.
func gaussianAndLaplace(t *testing.T, eps float64, mu calibrate.Mu, most float64) float64 {
	t.Helper()
	sum := gaussianAt(t, eps-most, mu)/2 + gaussianAt(t, eps+most, mu)*math.Exp(-most)/2
	const n = 2000 // Simpson's rule
	h := 2 * most / n
	for i := range n + 1 {
		l := -most + float64(i)*h
		w := h / 3 * float64([]int{2, 4}[i%2])
		if i == 0 || i == n {
			w = h / 3
		}
		sum += w * math.Exp(-(most-l)/2) / 4 * gaussianAt(t, eps-l, mu)
	}
	return sum
}

// TestMixedAgreesWithAnIntegral compares Gaussian and Laplace noise together with an integral: delta is at least the
// exact value and at most 2 % above it.
func TestMixedAgreesWithAnIntegral(t *testing.T) {
	for _, c := range []struct{ sigma, scale, eps float64 }{{4, 2, 1}, {2, 10, 0.5}, {1, 1, 3}, {20, 5, 0.05}} {
		m := Mixed{Gaussian: []calibrate.Mechanism{{Sens: calibrate.Sensitivity{L2: 1}, Sigma: calibrate.Sigma(c.sigma)}},
			Laplace: []calibrate.Laplace{{L1: 1, Scale: c.scale}}}
		got, err := m.Delta(calibrate.Epsilon(c.eps))
		if err != nil {
			t.Fatal(err)
		}
		want := gaussianAndLaplace(t, c.eps, calibrate.Mu(1/c.sigma), 1/c.scale)
		if r := float64(got) / want; r < 1-1e-9 || r > 1.02 {
			t.Errorf("%+v: delta = %v, exact %v, ratio %v", c, got, want, r)
		}
		eps, err := m.Epsilon(calibrate.Delta(want))
		if err != nil || float64(eps) < c.eps*(1-1e-9) || float64(eps) > c.eps+0.004 {
			t.Errorf("%+v: epsilon = %v, %v", c, eps, err)
		}
	}
}

// TestMixedOfOneAgreesWithItsCurve compares a single Laplace or geometric mechanism with its own curve: delta is not
// below it, and little above it.
func TestMixedOfOneAgreesWithItsCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.Float64Range(0.2, 20).Draw(t, "scale")
		l1 := rapid.Int64Range(1, 5).Draw(t, "l1")
		most := float64(l1) / scale
		eps := calibrate.Epsilon(most * rapid.Float64Range(0, 1.2).Draw(t, "share"))
		for name, pair := range map[string]struct {
			m     Mixed
			exact func(calibrate.Epsilon) (calibrate.Delta, error)
		}{
			"laplace": {Mixed{Laplace: []calibrate.Laplace{{L1: float64(l1), Scale: scale}}},
				calibrate.Laplace{L1: float64(l1), Scale: scale}.Delta},
			"geometric": {Mixed{Geometric: []Geometric{{l1, scale}}}, Geometric{l1, scale}.Delta},
		} {
			got, err := pair.m.Delta(eps)
			if err != nil {
				t.Fatal(err)
			}
			want, err := pair.exact(eps)
			later, err2 := pair.exact(max(eps-calibrate.Epsilon(most/1000), 0))
			if err != nil || err2 != nil || got < want || float64(got) > float64(later)+most/500 {
				t.Fatalf("%s: delta(%v) = %v, exact %v, %v, %v", name, eps, got, want, err, err2)
			}
		}
	})
}

// TestMixedAlike compares many equal Laplace mechanisms with randomised responses of the same epsilon, which cost most:
// their cost is 0.9 to 1.005 times that.
func TestMixedAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	for _, k := range []int{2, 7, 100} {
		var m Mixed
		for range k {
			m.Laplace = append(m.Laplace, calibrate.Laplace{L1: 1, Scale: 10})
		}
		got, err := m.Epsilon(1e-6)
		if err != nil {
			t.Fatal(err)
		}
		worst, err := Part{calibrate.Guarantee{Epsilon: 0.1, Delta: 0}, k}.Epsilon(1e-6)
		if err != nil || float64(got) > float64(worst)*1.005 {
			t.Errorf("k = %d: epsilon = %v, above %v, %v", k, got, worst, err)
		}
		if float64(got) < float64(worst)*0.9 {
			t.Errorf("k = %d: epsilon = %v, far below %v", k, got, worst)
		}
	}
}

// TestMixedOfGaussiansIsExact checks that Gaussian mechanisms alone cost exactly what Compose returns, and hardly more
// together with a Laplace mechanism of almost no privacy loss.
func TestMixedOfGaussiansIsExact(t *testing.T) {
	m := Mixed{Gaussian: []calibrate.Mechanism{{Sens: calibrate.Sensitivity{L2: 1}, Sigma: 5},
		{Sens: calibrate.Sensitivity{L2: 1}, Sigma: 7}}}
	want, err := calibrate.Compose(m.Gaussian, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Epsilon(1e-6); err != nil || got != want.Epsilon {
		t.Errorf("epsilon = %v, %v, want %v", got, err, want.Epsilon)
	}
	m.Laplace = []calibrate.Laplace{{L1: 1, Scale: 1e9}}
	if got, err := m.Epsilon(1e-6); err != nil || got < want.Epsilon || got > want.Epsilon+0.002 {
		t.Errorf("with next to nothing: epsilon = %v, %v, want %v", got, err, want.Epsilon)
	}
}

// TestGridMovesMassUp checks that rounding to a grid, coarsening and trimming never make the upper tail of the privacy
// loss lighter.
func TestGridMovesMassUp(t *testing.T) {
	above := func(g *grid, l float64) (sum float64) {
		for i, x := range g.p {
			if float64(g.low+i)*g.step >= l {
				sum += x
			}
		}
		return sum + g.lost
	}
	rapid.Check(t, func(t *rapid.T) {
		mu := gaussianLoss(rapid.Float64Range(0.01, 3).Draw(t, "mu"))
		g := roundLossUp(mu, 1e-12)
		l := rapid.Float64Range(-5, 8).Draw(t, "loss")
		if above(g, l) < mu.tail(l)*(1-1e-12) {
			t.Fatalf("above %v: %v, the mechanism has %v", l, above(g, l), mu.tail(l))
		}
		for name, other := range map[string]*grid{"coarsen": g.coarsen(), "trim": g.trim(1e-3)} {
			if above(other, l) < above(g, l)*(1-1e-13) {
				t.Fatalf("%s: above %v: %v, was %v", name, l, above(other, l), above(g, l))
			}
		}
	})
}

// TestMixedAnswersOrNamesAnArgument checks that no argument causes a panic, an endless loop, or NaN without an error.
func TestMixedAnswersOrNamesAnArgument(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	check := func(m Mixed, x float64, err error) {
		t.Helper()
		if err == nil && (math.IsNaN(x) || math.IsInf(x, 0) || x < 0) || err != nil &&
			!errors.As(err, new(*calibrate.ArgumentError)) {
			t.Errorf("%+v: %v, %v", m, x, err)
		}
	}
	ones := []Mixed{{}}
	for _, x := range []float64{math.NaN(), math.Inf(1), -1, 0, 5e-324, 1e-300, 1e-9, 1, 1e5, 1e308} {
		ones = append(ones,
			Mixed{Laplace: []calibrate.Laplace{{L1: 1, Scale: x}}}, Mixed{Laplace: []calibrate.Laplace{{L1: x, Scale: 1},
				{L1: 1, Scale: 1}}}, Mixed{Geometric: []Geometric{{1, x}}},
			Mixed{Geometric: []Geometric{{1 << 53,
				x}}}, Mixed{Gaussian: []calibrate.Mechanism{{Sens: calibrate.Sensitivity{L2: 1}, Sigma: calibrate.Sigma(x)}},
				Laplace: []calibrate.Laplace{{L1: 1, Scale: 1}}},
		)
	}
	for _, m := range ones {
		for _, x := range []float64{math.NaN(), 0, 1e-300, 0.5, 1e6} {
			d, err := m.Delta(calibrate.Epsilon(x))
			check(m, float64(d), err)
			e, err := m.Epsilon(calibrate.Delta(x))
			check(m, float64(e), err)
		}
	}
}

package calibrate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/numeric"
	"pgregory.net/rapid"
)

// drawAsks draws asks with sensitivities and weights over some orders of magnitude.
func drawAsks(t *rapid.T, most int) []Ask {
	n := rapid.IntRange(1, most).Draw(t, "asks")
	asks := make([]Ask, n)
	for i := range asks {
		asks[i] = Ask{
			Query:   fmt.Sprintf("q%d", i),
			Sens:    Sensitivity{L2: rapid.OneOf(rapid.Just(1.), rapid.Float64Range(1e-3, 1e3)).Draw(t, "l2")},
			Weight:  rapid.OneOf(rapid.SampledFrom([]float64{1, 2, 3, 8}), rapid.Float64Range(1e-6, 1e6)).Draw(t, "weight"),
			Quantum: math.Exp2(float64(rapid.IntRange(-20, 4).Draw(t, "unit"))),
		}
		asks[i].RowBound = asks[i].Sens.L2 * rapid.Float64Range(1e-3, 1).Draw(t, "row bound")
	}
	return asks
}

// drawUsual returns a guarantee whose sigmas fit the sampler's grids.
func drawUsual(t *rapid.T) Guarantee {
	eps := rapid.OneOf(rapid.Just(0.), rapid.Float64Range(1e-6, 10), rapid.Float64Range(10, 1000)).Draw(t, "epsilon")
	delta := math.Pow(10, rapid.Float64Range(-30, -0.01).Draw(t, "log delta"))
	return Guarantee{Epsilon(eps), Delta(delta)}
}

// TestSplitFitsExactly checks that the composed mechanisms are within the budget, by the function that the ledger uses,
// and that less than 1e-12 of mu is unused.
func TestSplitFitsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, asks := drawUsual(t), drawAsks(t, 12)
		ms, err := SplitBudget(g, asks)
		if err != nil {
			t.Fatal(err)
		}
		mu, err := GaussianMu(g)
		if err != nil {
			t.Fatal(err)
		}
		mu2 := ComposedMu2(ms)
		if !mu.Covers(mu2) {
			t.Fatalf("composed mu² %.20g is above %v²", mu2, mu)
		}
		if Mu(float64(mu) * (1 - 1e-12)).Covers(mu2) {
			t.Fatalf("composed mu² %.20g wastes more than 1e-12 of mu %v", mu2, mu)
		}
		if err := Verify(ms, g); err != nil {
			t.Fatal(err)
		}
		spent, err := Compose(ms, g.Delta)
		if err != nil || spent.Epsilon > g.Epsilon || spent.Delta != g.Delta {
			t.Fatalf("composed: %v, %v; asked: %v", spent, err, g)
		}
		checkShares(t, asks, ms, float64(mu))
	})
}

// checkShares compares each mechanism with its ask.
func checkShares(t *rapid.T, asks []Ask, ms []Mechanism, mu float64) {
	total := 0.0
	for _, a := range asks {
		total += a.Weight
	}
	for i, m := range ms {
		a := asks[i]
		want := a.Sens.L2 / (mu * math.Sqrt(a.Weight/total))
		if m.Query != a.Query || m.Sens != a.Sens || math.Abs(float64(m.Sigma)/want-1) > 1e-14 {
			t.Fatalf("ask %+v: mechanism %+v, sigma should be %v", a, m, want)
		}
		grid, err := Grid(m.Sigma, a.Quantum, a.RowBound)
		if err != nil || grid != m.Grid {
			t.Fatalf("ask %+v: grid %v, not %v (%v)", a, m.Grid, grid, err)
		}
	}
}

// TestSplitAtPowersOfTwo checks splits of which most need no rounding: the composed mu is at most the given mu, and
// above mu·(1 - 1e-15).
func TestSplitAtPowersOfTwo(t *testing.T) {
	for _, weights := range [][]float64{{1}, {1, 1}, {1, 1, 1, 1}, {1, 8}, {4, 4, 1}, {1, 3}, {9, 16}, {1, 1, 1},
		{1, 1e15}} {
		asks := make([]Ask, len(weights))
		for i, w := range weights {
			asks[i] = Ask{Query: fmt.Sprint(i), Sens: Sensitivity{L2: 1}, Weight: w}
		}
		for _, mu := range []Mu{1, 0.5, 0.1, 3, 1.0000000000000002} {
			for i := range asks {
				asks[i].Sens.L2 = float64(mu) * 3
			}
			ms, err := divide(mu, asks)
			if err != nil || !mu.Covers(ComposedMu2(ms)) || Mu(float64(mu)*(1-1e-15)).Covers(ComposedMu2(ms)) {
				t.Errorf("mu = %v, weights %v: %v, %v", mu, weights, ms, err)
			}
		}
	}
}

// TestComposedMu2IsATightBoundInAnyOrder checks that ComposedMu2 is at least the exact sum and at most 1 + 2^-52 times
// it, and the same for every order and grouping.
func TestComposedMu2IsATightBoundInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := drawMechanisms(t)
		exact := new(big.Rat)
		for _, m := range ms {
			r := new(big.Rat).Quo(new(big.Rat).SetFloat64(m.Sens.L2), new(big.Rat).SetFloat64(float64(m.Sigma)))
			exact.Add(exact, r.Mul(r, r))
		}
		bound, _ := ComposedMu2(ms).Rat(nil)
		if bound == nil || bound.Cmp(exact) < 0 {
			t.Fatalf("%v is below the sum %v", bound, exact)
		}
		slack := new(big.Rat).Mul(exact, new(big.Rat).SetFloat64(1+0x1p-52))
		if bound.Cmp(slack) > 0 {
			t.Fatalf("%v is far above the sum %v", bound, exact)
		}
		if root := float64(ComposedMu(ms)); !numeric.SquareCovers(root, ComposedMu2(ms)) || root > 0 &&
			numeric.SquareCovers(math.Nextafter(root, 0), ComposedMu2(ms)) {
			t.Fatalf("%v is not the least float64 root of %v", root, ComposedMu2(ms))
		}
		shuffled := rapid.Permutation(ms).Draw(t, "order")
		cut := rapid.IntRange(0, len(ms)).Draw(t, "cut")
		parts := numeric.ExactSum(ComposedMu2(shuffled[:cut]), ComposedMu2(shuffled[cut:]))
		if parts.Cmp(ComposedMu2(ms)) != 0 {
			t.Fatalf("the sum depends on the order: %v", ms)
		}
	})
}

// drawMechanisms draws mechanisms whose mu covers the whole range of float64.
func drawMechanisms(t *rapid.T) []Mechanism {
	size := rapid.OneOf(rapid.Float64Range(0.1, 1e3), rapid.Float64Range(5e-324, 1e-300),
		rapid.Float64Range(1e-300, math.MaxFloat64))
	ms := make([]Mechanism, rapid.IntRange(0, 8).Draw(t, "mechanisms"))
	for i := range ms {
		ms[i] = Mechanism{Query: fmt.Sprint(i), Sens: Sensitivity{L2: size.Draw(t, "l2")},
			Sigma: Sigma(size.Draw(t, "sigma"))}
	}
	return ms
}

// TestComposeIsOneMechanism checks that k equal mechanisms cost as much as one mechanism with sqrt(k) times the
// sensitivity.
func TestComposeIsOneMechanism(t *testing.T) {
	one := Mechanism{Sens: Sensitivity{L2: 1}, Sigma: 7}
	ms := []Mechanism{one, one, one, one}
	double := one
	double.Sens.L2 = 2
	want, err := double.Epsilon(1e-6)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Compose(ms, 1e-6)
	if err != nil || math.Abs(float64(got.Epsilon/want)-1) > 1e-14 || got.Epsilon < want {
		t.Errorf("4 mechanisms cost %v, one of twice the sensitivity %v (%v)", got.Epsilon, want, err)
	}
	if none, err := Compose(nil, 1e-6); err != nil || none.Epsilon != 0 {
		t.Errorf("nothing costs %v, %v", none, err)
	}
}

// TestComposedMuOfNothingAndOfInvalid checks that mu is 0 if there is no mechanism, and that no budget covers an
// invalid mechanism.
func TestComposedMuOfNothingAndOfInvalid(t *testing.T) {
	if mu := ComposedMu(nil); mu != 0 {
		t.Errorf("nothing has mu = %v", mu)
	}
	bad := []Mechanism{{Sens: Sensitivity{L2: 1}, Sigma: 1}, {Sens: Sensitivity{L2: 1}, Sigma: 0}}
	if mu := ComposedMu(bad); !math.IsInf(float64(mu), 1) || Mu(math.MaxFloat64).Covers(ComposedMu2(bad)) {
		t.Errorf("sigma = 0 gives mu = %v", mu)
	}
	for _, mu := range []Mu{-1, Mu(math.NaN()), Mu(math.Inf(1))} {
		if mu.Covers(new(big.Float)) {
			t.Errorf("a budget of %v covers something", mu)
		}
	}
	if Mu(1).Covers(nil) || !Mu(0).Covers(ComposedMu2(nil)) {
		t.Error("covering nothing")
	}
}

// TestVerifyDecidesAtTheBoundary checks that Verify accepts noise exactly up to the boundary, even between two float64
// values of mu.
func TestVerifyDecidesAtTheBoundary(t *testing.T) {
	g := Guarantee{1, 1e-6}
	sigma, err := AnalyticGaussian(Sensitivity{L2: 1}, g)
	if err != nil {
		t.Fatal(err)
	}
	at := []Mechanism{{Query: "q", Sens: Sensitivity{L2: 1}, Sigma: sigma}}
	if err := Verify(at, g); err != nil {
		t.Errorf("the least sigma is refused: %v", err)
	}
	at[0].Sigma = Sigma(math.Nextafter(float64(sigma), 0))
	if err := Verify(at, g); !errors.Is(err, ErrExceeds) {
		t.Errorf("less than the least sigma: %v", err)
	}
	if err := Verify(nil, g); err != nil {
		t.Errorf("no mechanisms: %v", err)
	}
	at[0].Sigma = 0
	if err := Verify(at, g); err == nil || errors.Is(err, ErrExceeds) {
		t.Errorf("sigma = 0: %v", err)
	}
}

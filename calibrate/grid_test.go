package calibrate

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"pgregory.net/rapid"
)

func TestGridOfKnownCases(t *testing.T) {
	for _, c := range []struct{ sigma, quantum, row, want float64 }{
		{16, 1, 1, 1}, {1000, 1, 1, 1}, {15.9, 1, 1, 0.5}, {4.22, 1, 1, 0.25}, {1, 1, 1, 1. / 16}, {0.01, 1, 1, 0x1p-11},
		{0x1p41, 1, 1, 2}, {0x1p40, 1, 1, 1}, {0x1.8p40, 1, 1, 2}, {1, 1, 0x1p13, 1}, {100, 0x1p-30, 1, 0x1p-13}, {0x1p-20, 1,
			1, 0x1p-13},
		{1e300, 1, 1, 0x1p957}, {5, 0x1p-40, 1e-9, 0x1p-37},
	} {
		got, err := Grid(Sigma(c.sigma), c.quantum, c.row)
		if err != nil || got != c.want {
			t.Errorf("Grid(%g, %g, %g) = %g, %v; want %g", c.sigma, c.quantum, c.row, got, err, c.want)
		}
	}
	if _, err := Grid(0x1p-21, 1, 1); err == nil {
		t.Error("a sigma below 2^-7 grid units is accepted")
	}
}

// TestGridKeepsItsPromises checks the conditions that Grid documents, at random arguments of any size.
func TestGridKeepsItsPromises(t *testing.T) {
	size := rapid.OneOf(rapid.Float64Range(1e-6, 1e9), rapid.Float64Range(5e-324, math.MaxFloat64))
	rapid.Check(t, func(t *rapid.T) {
		sigma, row := size.Draw(t, "sigma"), size.Draw(t, "row")
		unit := math.Exp2(float64(rapid.IntRange(-60, 60).Draw(t, "unit")))
		g, err := Grid(Sigma(sigma), unit, row)
		if err != nil {
			return
		}
		at := func(x float64) *big.Rat {
			return new(big.Rat).Quo(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(g))
		}
		above := func(x *big.Rat, power float64) bool { return x.Cmp(new(big.Rat).SetFloat64(power)) > 0 }
		scale, units := at(sigma), at(row)
		if argument.PowerOfTwo("grid", g) != nil || above(scale, 0x1p40) || !above(scale, 0x1p-8) || above(units, 0x1p13) {
			t.Fatalf("Grid(%g, %g, %g) = %g", sigma, unit, row, g)
		}
		half := g / 2
		fits := half <= unit/2 && half <= sigma/32
		needed := above(at(sigma), 0x1p39) || above(at(row), 0x1p12)
		if !fits && !needed {
			t.Fatalf("Grid(%g, %g, %g) = %g is coarser than it must be", sigma, unit, row, g)
		}
		if finer := g < unit && g < sigma/32; finer && !needed {
			t.Fatalf("Grid(%g, %g, %g) = %g is finer than it must be", sigma, unit, row, g)
		}
	})
}

func TestDeviationIncludesRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sigma := rapid.OneOf(rapid.Float64Range(1e-3, 1e6), rapid.Float64Range(5e-324, 1e307)).Draw(t, "sigma")
		grid := rapid.OneOf(rapid.Just(0.), rapid.Just(sigma/16), rapid.Float64Range(0, 1e307)).Draw(t, "grid")
		got := Mechanism{Sigma: Sigma(sigma), Grid: grid}.Deviation()
		exact := square(grid)
		exact.Mul(exact, big.NewRat(1, 12))
		exact.Add(exact, square(sigma))
		if square(got).Cmp(exact) < 0 || square(math.Nextafter(got, 0)).Cmp(exact) >= 0 {
			t.Fatalf("sigma = %g, grid = %g: %v is not the least float64 above the deviation", sigma, grid, got)
		}
	})
	for _, m := range []Mechanism{{Sigma: 0}, {Sigma: -1}, {Sigma: 1, Grid: -1}, {Sigma: Sigma(math.NaN())},
		{Sigma: 1, Grid: math.Inf(1)}} {
		if d := m.Deviation(); !math.IsInf(d, 1) {
			t.Errorf("%+v deviates by %v", m, d)
		}
	}
}

func square(x float64) *big.Rat {
	r := new(big.Rat).SetFloat64(x)
	return r.Mul(r, r)
}

// TestMechanismMuIsRoundedUp checks that Mu returns the smallest float64 that is at least L2/sigma.
func TestMechanismMuIsRoundedUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l2, sigma := rapid.Float64Range(1e-300, 1e6).Draw(t, "l2"), rapid.Float64Range(1e-6, 1e300).Draw(t, "sigma")
		got := float64(Mechanism{Sens: Sensitivity{L2: l2}, Sigma: Sigma(sigma)}.Mu())
		exact := new(big.Rat).Quo(new(big.Rat).SetFloat64(l2), new(big.Rat).SetFloat64(sigma))
		if new(big.Rat).SetFloat64(got).Cmp(exact) < 0 || new(big.Rat).SetFloat64(math.Nextafter(got, 0)).Cmp(exact) >= 0 {
			t.Fatalf("%g/%g: %v", l2, sigma, got)
		}
	})
}

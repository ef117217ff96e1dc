package gauss

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestScaleIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := math.Ldexp(1, rapid.IntRange(-900, 900).Draw(t, "grid"))
		sigma := grid * math.Ldexp(rapid.Float64Range(1, 2).Draw(t, "m"), rapid.IntRange(-7, 53).Draw(t, "e"))
		s, err := NewScale(sigma, grid)
		if err != nil {
			t.Fatal(err)
		}
		want := new(big.Rat).Quo(new(big.Rat).SetFloat64(sigma), new(big.Rat).SetFloat64(grid))
		if s.rat().Cmp(want) != 0 {
			t.Fatalf("%g/%g is %v", sigma, grid, s)
		}
	})
}

func TestScaleLimits(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		sigma, grid float64
		want        error
	}{
		{math.Ldexp(1, -7), 1, nil}, {math.Nextafter(math.Ldexp(1, -7), 0), 1, ErrScale},
		{1 << 55, 1, nil}, {math.Nextafter(1<<55, inf), 1, ErrScale}, {math.Nextafter(1<<55, 0), 1, nil},
		{0, 1, ErrScale}, {-1, 1, ErrScale}, {nan, 1, ErrScale}, {inf, 1, ErrScale}, {-inf, 1, ErrScale}, {5e-324, 1,
			ErrScale},
		{1, 0, ErrPower}, {1, -1, ErrPower}, {1, 3, ErrPower}, {1, nan, ErrPower}, {1, inf, ErrPower}, {1, 5e-324, ErrPower},
		{math.Ldexp(1, 962), math.Ldexp(1, 961), ErrPower}, {math.Ldexp(1, 962), math.Ldexp(1, 960), nil},
		{math.Ldexp(1, -1022), math.Ldexp(1, -1022), nil},
	} {
		if _, err := NewScale(c.sigma, c.grid); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("NewScale(%g, %g): %v, want %v", c.sigma, c.grid, err, c.want)
		}
	}
}

func TestLog2(t *testing.T) {
	for e := minLog2; e <= maxLog2; e++ {
		if got, err := Log2(math.Ldexp(1, e)); err != nil || got != e {
			t.Fatalf("Log2(2^%d) = %d, %v", e, got, err)
		}
	}
}

// An invalid scale is refused, because it would give no noise.
func TestZeroScale(t *testing.T) {
	if _, err := New(Scale{}, 0, nil); !errors.Is(err, ErrScale) {
		t.Errorf("zero scale: %v", err)
	}
}

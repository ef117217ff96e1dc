package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

// bigFromHalves returns integers of 128 bits.
func bigFromHalves(cells ...*big.Int) (s int128.Slice) {
	for _, x := range cells {
		up := new(big.Int).Rsh(x, 64)
		s.High = append(s.High, up.Int64())
		s.Low = append(s.Low, new(big.Int).Sub(x, up.Lsh(up, 64)).Uint64())
	}
	return s
}

func hideWide(tb testing.TB, unit float64, cells ...*big.Int) mechanism.Exact {
	tb.Helper()
	e, err := mechanism.HideWide(unit, bigFromHalves(cells...))
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestHideWideRefuses(t *testing.T) {
	for _, c := range []struct {
		unit      float64
		high, low int
		want      error
	}{{3, 1, 1, mechanism.ErrQuantum}, {1, 0, 0, mechanism.ErrEmpty}, {1, 1, 2, mechanism.ErrHalves}, {1, 1, 0,
		mechanism.ErrHalves}} {
		if e, err := mechanism.HideWide(c.unit, int128.Slice{High: make([]int64, c.high),
			Low: make([]uint64, c.low)}); !errors.Is(err, c.want) || e.Cells() != 0 {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestOpenWide(t *testing.T) {
	x := new(big.Int).Lsh(big.NewInt(-3), 100)
	x.Add(x, big.NewInt(5))
	if unit, cells := mechanismtest.OpenWide(t, hideWide(t, 0.5, x, big.NewInt(-1))); unit != 0.5 ||
		cells[0].Cmp(x) != 0 || cells[1].Int64() != -1 {
		t.Errorf("%g, %v", unit, cells)
	}
	if unit, cells := mechanismtest.OpenWide(t, hide(t, 2, -7)); unit != 2 || cells[0].Int64() != -7 {
		t.Errorf("%g, %v", unit, cells)
	}
}

// Noisy values are multiples of the grid around the exact answers, for any quantum and grid. A cell is 40 sigma away
// with probability e^-800.
func TestWideNoiseGrid(t *testing.T) {
	for _, c := range []struct{ unit, grid, sigma float64 }{
		{1, 1, 1}, {math.Ldexp(1, -30), 0.25, 4}, {math.Ldexp(1, -33), 1 << 40, 1 << 44}, {math.Ldexp(1, -300),
			math.Ldexp(1, -228), math.Ldexp(1, -220)}, {1, math.Ldexp(1, -40), 1},
	} {
		m := gaussian(c.sigma, c.grid)
		m.Sens.L2 = c.sigma / 4
		var exact []*big.Int
		for _, k := range []int64{0, 1, -1, 1000, -1000, 1 << 20, -1 << 20} {
			x := big.NewInt(k)
			exact = append(exact, x.Lsh(x, uint(max(0, math.Log2(c.grid/c.unit)))), new(big.Int).Add(x, big.NewInt(1)))
		}
		n, err := mechanism.AddNoise(t.Context(), hideWide(t, c.unit, exact...), ledgertest.Receipt(t, m), m, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, len(exact))
		n.Fill(0, got)
		for i, x := range got {
			cell, _ := new(big.Float).SetInt(exact[i]).Float64()
			if k := x / c.grid; k != math.Trunc(k) || math.Abs(x-cell*c.unit) > 40*c.sigma+c.grid {
				t.Errorf("%+v: %v became %g", c, exact[i], x)
			}
		}
	}
}

// The mean and the variance are right for a cell of more than 64 bits with digits far below the grid, at 6.9 standard
// errors (false alarm 1e-11).
func TestWideNoiseMoments(t *testing.T) {
	const size, grid, sigma = 300_000, 1, 2.5
	cell := new(big.Int).Lsh(big.NewInt(43), 78)
	cell.Add(cell, new(big.Int).Lsh(big.NewInt(3), 70)) // 43 + 3/256 in units of 2^-78
	m := gaussian(sigma, grid)
	n, err := mechanism.AddNoise(t.Context(), hideWide(t, math.Ldexp(1, -78), slices.Repeat([]*big.Int{cell}, size)...),
		ledgertest.Receipt(t, m), m, 3)
	if err != nil {
		t.Fatal(err)
	}
	var sum, squares float64
	for _, block := range n.Blocks() {
		for _, x := range block {
			d := x - (43 + 3.0/256)
			sum += d
			squares += d * d
		}
	}
	variance := sigma*sigma + grid*grid/12.0
	if z := sum / math.Sqrt(size*variance); math.Abs(z) > 6.9 {
		t.Errorf("the mean is %g standard errors off", z)
	}
	if z := (squares/size/variance - 1) * math.Sqrt(size/2.0); math.Abs(z) > 6.9 {
		t.Errorf("the variance is %g standard errors off", z)
	}
}

// A refused draw leaves all digits as they were, and noise is added only once.
func TestWideNoiseOnce(t *testing.T) {
	m := gaussian(4, 0.25)
	r := ledgertest.Receipt(t, m)
	x := new(big.Int).Lsh(big.NewInt(9), 80)
	e := hideWide(t, 1, x)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mechanism.AddNoise(cancelled, e, r, m, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if _, cells := mechanismtest.OpenWide(t, e); cells[0].Cmp(x) != 0 {
		t.Errorf("a refusal changed the value: %v", cells)
	}
	n, err := mechanism.AddNoise(t.Context(), e, r, m, 1)
	got := make([]float64, 1)
	if n.Fill(0, got); err != nil || got[0] != 0.25*math.MaxInt64 {
		t.Errorf("an answer beyond int64 grid units became %g, %v", got[0], err)
	}
	if _, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("noised twice: %v", err)
	}
}

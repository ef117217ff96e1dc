package mechanism_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

func gaussian(sigma, grid float64) calibrate.Mechanism {
	return calibrate.Mechanism{
		Query: "q", Sens: calibrate.Sensitivity{L2: 1, Why: "one row in one cell"}, Sigma: calibrate.Sigma(sigma), Grid: grid,
	}
}

func hide(tb testing.TB, unit float64, cells ...int64) mechanism.Exact {
	tb.Helper()
	e, err := mechanism.Hide(unit, cells)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestHideRefuses(t *testing.T) {
	for _, unit := range []float64{0, -1, 3, 0.1, math.NaN(), math.Inf(1), 5e-324} {
		if e, err := mechanism.Hide(unit, []int64{1}); !errors.Is(err, mechanism.ErrQuantum) || e.Cells() != 0 {
			t.Errorf("unit %g: %v", unit, err)
		}
	}
	if _, err := mechanism.Hide(1, nil); !errors.Is(err, mechanism.ErrEmpty) {
		t.Errorf("no cells: %v", err)
	}
}

// A refusal before the first draw leaves the value and the receipt unchanged.
func TestNoiseRefuses(t *testing.T) {
	m := gaussian(4, 0.25)
	r := ledgertest.Receipt(t, m)
	e := hide(t, 1, 10, 20, 30)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	less, other, coarse, odd := m, m, m, m
	less.Sigma, other.Query, coarse.Grid, odd.Sens.L2 = 3.999, "other", 0.5, 2
	for what, c := range map[string]struct {
		ctx  context.Context
		r    ledger.Receipt
		m    calibrate.Mechanism
		want error
	}{
		"empty receipt":     {t.Context(), ledger.Receipt{}, m, mechanism.ErrReceipt},
		"no sigma":          {t.Context(), r, gaussian(0, 0.25), mechanism.ErrMechanism},
		"sigma not finite":  {t.Context(), r, gaussian(math.Inf(1), 0.25), mechanism.ErrMechanism},
		"sigma not number":  {t.Context(), r, gaussian(math.NaN(), 0.25), mechanism.ErrMechanism},
		"negative sigma":    {t.Context(), r, gaussian(-4, 0.25), mechanism.ErrMechanism},
		"grid no power":     {t.Context(), r, gaussian(4, 0.3), mechanism.ErrMechanism},
		"no grid":           {t.Context(), r, gaussian(4, 0), mechanism.ErrMechanism},
		"grid too coarse":   {t.Context(), r, gaussian(4, 1024), mechanism.ErrMechanism},
		"grid too fine":     {t.Context(), r, gaussian(4, math.Ldexp(1, -54)), mechanism.ErrMechanism},
		"less noise":        {t.Context(), r, less, ledger.ErrRedeem},
		"another query":     {t.Context(), r, other, ledger.ErrRedeem},
		"another grid":      {t.Context(), r, coarse, ledger.ErrRedeem},
		"other sensitivity": {t.Context(), r, odd, ledger.ErrRedeem},
		"cancelled":         {cancelled, r, m, context.Canceled},
	} {
		if n, err := mechanism.AddNoise(c.ctx, e, c.r, c.m, 2); !errors.Is(err, c.want) || n.Len() != 0 {
			t.Errorf("%s: %d cells, %v; want %v", what, n.Len(), err, c.want)
		}
	}
	if _, cells := mechanismtest.Open(t, e); !slices.Equal(cells, []int64{10, 20, 30}) {
		t.Errorf("a refusal changed the value: %v", cells)
	}
	if _, err := mechanism.AddNoise(t.Context(), mechanism.Exact{}, r, m, 1); !errors.Is(err, mechanism.ErrEmpty) {
		t.Errorf("zero value: %v", err)
	}
	if n, err := mechanism.AddNoise(t.Context(), e, r, m, 2); err != nil || n.Len() != 3 || n.Mechanism() != m {
		t.Errorf("after refusals: %v", err)
	}
}

func TestNoiseOnce(t *testing.T) {
	m := gaussian(4, 0.25)
	r := ledgertest.Receipt(t, m)
	e := hide(t, 1, 10, 20, 30)
	again := e
	if _, err := mechanism.AddNoise(t.Context(), e, r, m, 1); err != nil {
		t.Fatal(err)
	}
	for _, x := range []mechanism.Exact{e, again} {
		if _, err := mechanism.AddNoise(t.Context(), x, ledgertest.Receipt(t, m), m, 1); !errors.Is(err, mechanism.ErrSpent) {
			t.Errorf("noised twice: %v", err)
		}
	}
	if _, err := mechanism.AddNoise(t.Context(), hide(t, 1, 1), r, m, 1); !errors.Is(err, ledger.ErrRedeem) {
		t.Errorf("receipt used twice: %v", err)
	}
	if e.Cells() != 3 {
		t.Errorf("%d cells", e.Cells())
	}
}

func TestNoiseOnceTogether(t *testing.T) {
	m := gaussian(4, 0.25)
	e := hide(t, 1, make([]int64, 100_000)...)
	errs := make([]error, 8)
	var group sync.WaitGroup
	for i := range errs {
		r := ledgertest.Receipt(t, m)
		group.Go(func() { _, errs[i] = mechanism.AddNoise(t.Context(), e, r, m, 2) })
	}
	group.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else if !errors.Is(err, mechanism.ErrSpent) {
			t.Errorf("error %v, want %v", err, mechanism.ErrSpent)
		}
	}
	if done != 1 {
		t.Errorf("noised %d times", done)
	}
}

// Noisy values are multiples of the grid around the exact answers, for any quantum and grid. A cell is 40 sigma away
// with probability e^-800.
func TestNoiseGrid(t *testing.T) {
	for _, c := range []struct{ unit, grid, sigma float64 }{
		{1, 1, 1}, {1, 0.25, 4}, {0.25, 1, 4}, {math.Ldexp(1, -80), 1, 0.1}, {1, math.Ldexp(1, -40), 1}, {math.Ldexp(1, -300),
			math.Ldexp(1, -310), math.Ldexp(1, -305)},
	} {
		m := gaussian(c.sigma, c.grid)
		m.Sens.L2 = c.sigma / 4
		exact := []int64{0, 1, -1, 1000, -1000, 1 << 20, -1 << 20}
		n, err := mechanism.AddNoise(t.Context(), hide(t, c.unit, slices.Clone(exact)...), ledgertest.Receipt(t, m), m, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, len(exact))
		n.Fill(0, got)
		for i, x := range got {
			if k := x / c.grid; k != math.Trunc(k) || math.Abs(x-float64(exact[i])*c.unit) > 40*c.sigma+c.grid {
				t.Errorf("%+v: %d became %g", c, exact[i], x)
			}
		}
	}
}

// Two draws for the same answers differ. They are equal with probability below 2^-500.
func TestNoiseDiffers(t *testing.T) {
	m := gaussian(1<<40, 1)
	var values [2][20]float64
	for i := range values {
		n, err := mechanism.AddNoise(t.Context(), hide(t, 1, make([]int64, 20)...), ledgertest.Receipt(t, m), m, 1)
		if err != nil {
			t.Fatal(err)
		}
		n.Fill(0, values[i][:])
	}
	if values[0] == values[1] {
		t.Error("the same noise twice")
	}
}

// The mean and the variance of noisy values are right, to within 6.9 standard errors (false alarm 1e-11). The variance
// is sigma² + grid²/12 for an answer between two grid points.
func TestNoiseVariance(t *testing.T) {
	const size, unit, grid, sigma, cell = 1_000_000, 0.125, 1, 2.5, 43
	m := gaussian(sigma, grid)
	n, err := mechanism.AddNoise(t.Context(), hide(t, unit, slices.Repeat([]int64{cell}, size)...), ledgertest.Receipt(t,
		m), m, 3)
	if err != nil {
		t.Fatal(err)
	}
	var sum, squares float64
	for _, block := range n.Blocks() {
		for _, x := range block {
			sum += x - cell*unit
			squares += (x - cell*unit) * (x - cell*unit)
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

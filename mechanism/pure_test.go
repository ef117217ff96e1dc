package mechanism_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/ledger/ledgertest"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/mechanism/mechanismtest"
)

func pure(scale, grid float64, geometric bool) calibrate.Pure {
	return calibrate.Pure{
		Query: "q", Why: "one row in one cell", Noise: calibrate.Laplace{L1: 1, Scale: scale}, Grid: grid, Geometric: geometric,
	}
}

// paid returns a receipt for m as the ledger records it.
func paid(tb testing.TB, m calibrate.Pure) ledger.Receipt {
	tb.Helper()
	charged, err := m.Mechanism()
	if err != nil {
		tb.Fatal(err)
	}
	return ledgertest.Receipt(tb, charged)
}

// Noise that is charged as Gaussian noise is Laplace or geometric noise of its scale: mean and variance are right at
// 6.9 standard errors (false alarm 1e-11), for short vectors and for streams.
func TestPureNoise(t *testing.T) {
	for _, c := range []struct {
		m     calibrate.Pure
		cells int
		// in grid units: the variance, and that of the square
		variance, fourth float64
	}{
		{pure(16, 0.25, false), 300_000, 2*64*64 + 1.0/12, 20 * 64 * 64 * 64 * 64},
		{pure(16, 0.25, true), 300_000, geometricVariance(64), 20 * 64 * 64 * 64 * 64},
		{pure(16, 0.25, false), 1<<20 + 5, 2*64*64 + 1.0/12, 20 * 64 * 64 * 64 * 64},
	} {
		e := sealSparse(t, 1, mechanism.Sparse{Cells: c.cells, At: []int{1}, Answers: int128.Narrow([]int64{1 << 20})})
		n, err := e.NoisePure(t.Context(), paid(t, c.m), c.m, 2)
		if err != nil {
			t.Fatal(err)
		}
		var sum, squares float64
		for start, block := range n.Blocks() {
			if start == 0 {
				block[1] -= 1 << 20
			}
			for _, x := range block {
				k := x / c.m.Grid
				if k != math.Trunc(k) {
					t.Fatalf("%g is off the grid", x)
				}
				sum += k
				squares += k * k
			}
		}
		size := float64(c.cells)
		if z := sum / math.Sqrt(size*c.variance); math.Abs(z) > 6.9 {
			t.Errorf("%+v: the mean is %g standard errors off", c.m, z)
		}
		if z := (squares/size - c.variance) / math.Sqrt(c.fourth/size); math.Abs(z) > 6.9 {
			t.Errorf("%+v: the variance is %g standard errors off", c.m, z)
		}
		if charged, err := c.m.Mechanism(); err != nil || n.Normal() || n.Mechanism() != charged {
			t.Errorf("%+v, normal %v", n.Mechanism(), n.Normal())
		}
	}
}

// geometricVariance is 2q/(1 − q)², q = e^(−1/S).
func geometricVariance(scale float64) float64 {
	q := math.Exp(-1 / scale)
	return 2 * q / ((1 - q) * (1 - q))
}

// A refusal before the first draw leaves the value and the receipt unchanged.
func TestNoisePureRefuses(t *testing.T) {
	m := pure(16, 0.25, true)
	r := paid(t, m)
	e := seal(t, 1, 10, 20)
	louder := pure(15.99, 0.25, true)
	for what, c := range map[string]struct {
		r    ledger.Receipt
		m    calibrate.Pure
		want error
	}{
		"empty receipt":   {ledger.Receipt{}, m, mechanism.ErrReceipt},
		"less noise":      {r, louder, ledger.ErrRedeem},
		"another grid":    {r, pure(16, 0.5, true), ledger.ErrRedeem},
		"no scale":        {r, pure(0, 0.25, true), mechanism.ErrMechanism},
		"not a number":    {r, pure(math.NaN(), 0.25, true), mechanism.ErrMechanism},
		"grid no power":   {r, pure(16, 0.3, true), mechanism.ErrMechanism},
		"grid too fine":   {r, pure(16, math.Ldexp(1, -48), true), mechanism.ErrMechanism},
		"below the grid":  {r, pure(16, 2, true), mechanism.ErrMechanism},
		"epsilon too big": {r, pure(1.0/1024, 1.0/1024, true), mechanism.ErrMechanism},
	} {
		if n, err := e.NoisePure(t.Context(), c.r, c.m, 1); !errors.Is(err, c.want) || n.Len() != 0 {
			t.Errorf("%s: %v; want %v", what, err, c.want)
		}
	}
	if _, err := sealWide(t, 1, big.NewInt(5)).NoisePure(t.Context(), r, m, 1); !errors.Is(err, mechanism.ErrWide) {
		t.Errorf("128 bits: %v", err)
	}
	if _, cells := mechanismtest.Open(t, e); !slices.Equal(cells, []int64{10, 20}) {
		t.Errorf("a refusal changed the value: %v", cells)
	}
	if _, err := e.NoisePure(t.Context(), r, m, 1); err != nil {
		t.Errorf("after refusals: %v", err)
	}
	if _, err := (mechanism.Exact{}).NoisePure(t.Context(), r, m, 1); !errors.Is(err, mechanism.ErrEmpty) {
		t.Errorf("error %v, want %v", err, mechanism.ErrEmpty)
	}
	charged, err := m.Mechanism()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Noise(t.Context(), ledgertest.Receipt(t, charged), charged, 1); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("noised twice: %v", err)
	}
}

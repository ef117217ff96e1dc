package mechanism_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

func pure(scale, grid float64, geometric bool) calibrate.Pure {
	return calibrate.Pure{
		Query: "q", Why: "one row in one cell", Noise: calibrate.Laplace{L1: 1,
			Scale: scale}, Grid: grid, Geometric: geometric,
	}
}

// charged returns m as the ledger records it.
func charged(tb testing.TB, m calibrate.Pure) calibrate.Mechanism {
	tb.Helper()
	out, err := m.Mechanism()
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// paid returns a receipt for m as the ledger records it.
func paid(tb testing.TB, m calibrate.Pure) ledger.Receipt {
	tb.Helper()
	return ledgertest.Receipt(tb, charged(tb, m))
}

// Laplace and geometric noise, which the ledger charges as Gaussian noise, has its own scale: mean and variance are
// right to within 6.9 standard errors (false alarm 1e-11), for short vectors and for streams.
func TestPureNoise(t *testing.T) {
	for _, c := range []struct {
		m     calibrate.Pure
		cells int
		// variances of the noise and of its square, in grid units
		variance, fourth float64
	}{
		{pure(16, 0.25, false), 300_000, 2*64*64 + 1.0/12, 20 * 64 * 64 * 64 * 64},
		{pure(16, 0.25, true), 300_000, geometricVariance(64), 20 * 64 * 64 * 64 * 64},
		{pure(16, 0.25, false), 1<<20 + 5, 2*64*64 + 1.0/12, 20 * 64 * 64 * 64 * 64},
	} {
		e := hideSparse(t, 1, mechanism.Sparse{Cells: c.cells, At: []int{1}, Answers: int128.Narrow([]int64{1 << 20})})
		n, err := mechanism.AddNoise(t.Context(), e, paid(t, c.m), charged(t, c.m), 2)
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
		if n.Normal() || n.Mechanism() != charged(t, c.m) {
			t.Errorf("%+v, normal %v", n.Mechanism(), n.Normal())
		}
	}
}

// geometricVariance returns 2q/(1 − q)², q = e^(−1/S).
func geometricVariance(scale float64) float64 {
	q := math.Exp(-1 / scale)
	return 2 * q / ((1 - q) * (1 - q))
}

// Answers of 128 bits get the same noise: the noise of 2^70 + 3 quanta of 2^-65, a value near 2^5, has the right mean
// and variance at 6.9 standard errors (false alarm 1e-11).
func TestPureNoiseOfWideAnswers(t *testing.T) {
	const cells = 200_000
	for _, c := range []struct {
		m       calibrate.Pure
		quantum float64
		answer  *big.Int
		exact   float64
	}{
		{pure(16, 0.25, false), math.Ldexp(1, -65), new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 70), big.NewInt(3)), 32},
		{pure(16, 0.25, false), math.Ldexp(1, -65), new(big.Int).Lsh(big.NewInt(-1), 70), -32},
		{pure(16, 0.25, true), 0.5, big.NewInt(-77), -38.5},
	} {
		answers := make([]*big.Int, cells)
		for i := range answers {
			answers[i] = c.answer
		}
		n, err := mechanism.AddNoise(t.Context(), hideWide(t, c.quantum, answers...), paid(t, c.m), charged(t, c.m), 2)
		if err != nil {
			t.Fatal(err)
		}
		sum, squares, variance := 0.0, 0.0, c.m.Noise.Scale*c.m.Noise.Scale*2
		for _, block := range n.Blocks() {
			for _, x := range block {
				sum += x - c.exact
				squares += (x - c.exact) * (x - c.exact)
			}
		}
		if z := sum / math.Sqrt(cells*variance); math.Abs(z) > 6.9 {
			t.Errorf("%+v: the mean is %g standard errors off", c.m, z)
		}
		if z := (squares/cells - variance) / (variance * math.Sqrt(5.0/cells)); math.Abs(z) > 6.9 {
			t.Errorf("%+v: the variance is %g standard errors off", c.m, z)
		}
	}
	m := pure(16, 0.25, true)
	if _, err := mechanism.AddNoise(t.Context(), hideWide(t, 0.125, big.NewInt(5)), paid(t, m), charged(t, m),
		1); !errors.Is(err,
		mechanism.ErrMechanism) {
		t.Errorf("below the grid: %v", err)
	}
}

// A refusal before the first draw leaves the value and the receipt unchanged.
func TestPureNoiseRefuses(t *testing.T) {
	m := charged(t, pure(16, 0.25, true))
	r := ledgertest.Receipt(t, m)
	e := hide(t, 1, 10, 20)
	with := func(change func(*calibrate.Mechanism)) calibrate.Mechanism {
		x := m
		change(&x)
		return x
	}
	for what, c := range map[string]struct {
		r    ledger.Receipt
		m    calibrate.Mechanism
		want error
	}{
		"empty receipt": {ledger.Receipt{}, m, mechanism.ErrReceipt},
		"less noise":    {r, charged(t, pure(15.99, 0.25, true)), ledger.ErrRedeem},
		"another grid":  {r, charged(t, pure(16, 0.5, true)), ledger.ErrRedeem},
		"Laplace noise": {r, charged(t, pure(16, 0.25, false)), ledger.ErrRedeem},
		"Gaussian noise": {r, with(func(m *calibrate.Mechanism) { m.Noise, m.Scale = calibrate.Gaussian, 0 }),
			ledger.ErrRedeem},
		"only scale less":   {r, with(func(m *calibrate.Mechanism) { m.Scale = 15.99 }), mechanism.ErrMechanism},
		"no scale":          {r, with(func(m *calibrate.Mechanism) { m.Scale = 0 }), mechanism.ErrMechanism},
		"not a number":      {r, with(func(m *calibrate.Mechanism) { m.Scale = math.NaN() }), mechanism.ErrMechanism},
		"no distribution":   {r, with(func(m *calibrate.Mechanism) { m.Noise = "uniform" }), mechanism.ErrMechanism},
		"grid no power":     {r, with(func(m *calibrate.Mechanism) { m.Grid = 0.3 }), mechanism.ErrMechanism},
		"grid too fine":     {r, with(func(m *calibrate.Mechanism) { m.Grid = math.Ldexp(1, -48) }), mechanism.ErrMechanism},
		"below the grid":    {r, with(func(m *calibrate.Mechanism) { m.Grid = 2 }), mechanism.ErrMechanism},
		"larger sigma only": {r, with(func(m *calibrate.Mechanism) { m.Sigma *= 2 }), mechanism.ErrMechanism},
	} {
		if n, err := mechanism.AddNoise(t.Context(), e, c.r, c.m, 1); !errors.Is(err, c.want) || n.Len() != 0 {
			t.Errorf("%s: %v; want %v", what, err, c.want)
		}
	}
	if _, cells := mechanismtest.Open(t, e); !slices.Equal(cells, []int64{10, 20}) {
		t.Errorf("a refusal changed the value: %v", cells)
	}
	if _, err := mechanism.AddNoise(t.Context(), e, r, m, 1); err != nil {
		t.Errorf("after refusals: %v", err)
	}
	if _, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("noised twice: %v", err)
	}
}

package selftest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/mechanism/selftest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// claim returns a mechanism for counts of rows.
func claim(sigma float64) calibrate.Mechanism {
	return calibrate.Mechanism{
		Query: "rows", Sens: calibrate.Sensitivity{L2: 1,
			Why: "one row in one cell"}, Sigma: calibrate.Sigma(sigma), Grid: 1.0 / 16,
	}
}

func sealed(tb testing.TB, cells, rows int) mechanism.Exact {
	tb.Helper()
	e, err := mechanism.Hide(1, slices.Repeat([]int64{int64(rows)}, cells))
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func values(n mechanism.Noisy) []float64 {
	out := make([]float64, n.Len())
	n.Fill(0, out)
	return out
}

// honest makes releases with the claimed noise, by AddNoise with a receipt.
func honest(tb testing.TB, m calibrate.Mechanism) selftest.Release {
	return func(ctx context.Context, cells, rows int) ([]float64, calibrate.Mechanism, error) {
		n, err := mechanism.AddNoise(ctx, sealed(tb, cells, rows), ledgertest.Receipt(tb, m), m, 2)
		return values(n), m, err
	}
}

// underNoised makes releases that claim m with noise of factor·sigma. It uses the entry point for tests.
func underNoised(tb testing.TB, m calibrate.Mechanism, factor float64) selftest.Release {
	return func(_ context.Context, cells, rows int) ([]float64, calibrate.Mechanism, error) {
		_, exact := mechanismtest.Open(tb, sealed(tb, cells, rows))
		scale, err := gauss.NewScale(factor*float64(m.Sigma), m.Grid)
		if err != nil {
			return nil, m, err
		}
		source, err := gauss.NewBits(rand.Reader)
		if err != nil {
			return nil, m, err
		}
		s, err := gauss.New(scale, 4, source)
		if err != nil {
			return nil, m, err
		}
		if err := s.Add(exact); err != nil {
			return nil, m, err
		}
		noisy := make([]float64, len(exact))
		for i, k := range exact {
			noisy[i] = float64(k) * m.Grid
		}
		return values(mechanismtest.Make(tb, m, noisy)), m, nil
	}
}

const auditName = "release, audit of neighbouring tables"

func find(tb testing.TB, checks []selftest.Check, name string) selftest.Check {
	tb.Helper()
	i := slices.IndexFunc(checks, func(c selftest.Check) bool { return c.Name == name })
	if i < 0 {
		tb.Fatalf("no check %q", name)
	}
	return checks[i]
}

// TestHonestPasses raises a false alarm with probability below 1e-9.
func TestHonestPasses(t *testing.T) {
	owntest.Slow(t)
	checks, err := selftest.Run(t.Context(), 0, honest(t, claim(1.25)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if !c.Pass || c.Samples == 0 {
			t.Errorf("%+v", c)
		}
	}
	if c := find(t, checks, auditName); c.Threshold < 0.8 || c.Threshold > 0.8001 || c.Statistic < 0.7 {
		t.Errorf("the audit has no power, or another claim than mu = 0.8: %+v", c)
	}
	if selftest.Failed(checks) != 0 {
		t.Error("failures are counted where there are none")
	}
}

// claimPure returns geometric noise of epsilon 1.
func claimPure(tb testing.TB) calibrate.Mechanism {
	tb.Helper()
	m, err := calibrate.Pure{Query: "rows", Why: "one row in one cell", Noise: calibrate.Laplace{L1: 1, Scale: 1}, Grid: 1,
		Geometric: true}.Mechanism()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

const pureAuditName = "release with delta 0, audit of neighbouring tables"

// TestPureAudit checks that geometric noise as claimed passes, and that its bound is near epsilon. With 10 % less scale
// it fails: the bound is then more than 15 of its own standard deviations above epsilon.
func TestPureAudit(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	m := claimPure(t)
	checks, err := selftest.Run(t.Context(), 0, honest(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if !c.Pass {
			t.Errorf("%+v", c)
		}
	}
	if c := find(t, checks, pureAuditName); c.Threshold != 1 || c.Statistic < 0.9 {
		t.Errorf("the audit has no power, or another claim than epsilon = 1: %+v", c)
	}
	less := func(ctx context.Context, cells, rows int) ([]float64, calibrate.Mechanism, error) {
		p, _ := m.Pure()
		p.Noise.Scale = 0.9
		drawn, err := p.Mechanism()
		if err != nil {
			return nil, m, err
		}
		n, err := mechanism.AddNoise(ctx, sealed(t, cells, rows), ledgertest.Receipt(t, drawn), drawn, 2)
		return values(n), m, err
	}
	if checks, err = selftest.Run(t.Context(), 0, less); err != nil {
		t.Fatal(err)
	}
	if c := find(t, checks, pureAuditName); c.Pass {
		t.Errorf("too little noise passes: %+v", c)
	}
}

// The audit detects 10 % too little noise, with the smallest allowed number of pairs and with a million.
// The bound is more than 6 of its own standard deviations above mu: the test misses with probability below 1e-9.
func TestUnderNoisedFails(t *testing.T) {
	sizes := []int{100_000}
	if owntest.Checking() && !testing.Short() {
		sizes = append(sizes, 1_000_000)
	}
	for _, pairs := range sizes {
		for _, sigma := range []float64{0.5, 1.25, 4} {
			checks, err := selftest.Audit(t.Context(), pairs, underNoised(t, claim(sigma), 0.9))
			if err != nil {
				t.Fatal(err)
			}
			if c := find(t, checks, auditName); c.Pass && (pairs == 1_000_000 || sigma < 4) {
				t.Errorf("sigma %g, %d pairs: not caught: %+v", sigma, pairs, c)
			}
			if selftest.Failed(checks) < 2 {
				t.Errorf("sigma %g, %d pairs: the released noise fits though its scale is wrong", sigma, pairs)
			}
		}
	}
}

// The audit detects noise that is used twice, although its distribution is right.
func TestDependenceIsSeen(t *testing.T) {
	const cells, chunk = 100_000, 1 << 14
	m := claim(1.25)
	first, _, err := honest(t, m)(t.Context(), cells, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, twin := range map[string]func(i int) int{
		"release, two releases are independent":       func(i int) int { return i },
		"release, neighbouring cells are independent": func(i int) int { return i / 2 },
		"release, blocks of cells are independent":    func(i int) int { return i % chunk },
	} {
		checks, err := selftest.Audit(t.Context(), cells, func(_ context.Context, _, rows int) ([]float64,
			calibrate.Mechanism, error) {
			again := make([]float64, cells)
			for i := range again {
				again[i] = first[twin(i)] + float64(rows-1)
			}
			return again, m, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if find(t, checks, name).Pass {
			t.Errorf("%s: noise that comes twice is not seen", name)
		}
	}
}

func TestAuditRefuses(t *testing.T) {
	reason := errors.New("no release")
	for what, release := range map[string]selftest.Release{
		"error": func(context.Context, int, int) ([]float64, calibrate.Mechanism, error) {
			return nil, calibrate.Mechanism{}, reason
		},
		"too few cells": func(context.Context, int, int) ([]float64, calibrate.Mechanism, error) {
			return []float64{1}, claim(1), nil
		},
		"another sigma": func(_ context.Context, cells, rows int) ([]float64, calibrate.Mechanism, error) {
			return make([]float64, cells), claim(float64(rows)), nil
		},
	} {
		if checks, err := selftest.Audit(t.Context(), 1000, release); err == nil || len(checks) > 0 {
			t.Errorf("%s: %d checks and no error", what, len(checks))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := selftest.Run(ctx, 0, honest(t, claim(1))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPairs(t *testing.T) {
	if selftest.Pairs(0) != 100_000 || selftest.Pairs(5e9) != 500_000 || selftest.Pairs(math.MaxInt64) != 1_000_000 {
		t.Error(selftest.Pairs(0), selftest.Pairs(5e9), selftest.Pairs(math.MaxInt64))
	}
}

// selecting makes releases with discovered keys. Their noise and threshold can differ from the claimed ones. Keys that
// have up to leak units fewer than minUnits are kept too.
func selecting(tb testing.TB, claimed calibrate.KeySelection, threshold float64, counts, sums calibrate.Mechanism,
	leak int64) selftest.Selection {
	return func(ctx context.Context, minUnits int64, keys, rows int) (*selftest.Selected, error) {
		claimed, threshold := claimed, threshold+float64(minUnits-1)
		claimed.MinUnits = minUnits
		if int64(rows) < minUnits-leak {
			return &selftest.Selected{Selection: claimed, Summed: claimed.Mechanism}, nil
		}
		n, err := mechanism.AddNoise(ctx, sealed(tb, keys, rows), ledgertest.Receipt(tb, counts), counts, 2)
		if err != nil {
			return nil, err
		}
		out := &selftest.Selected{Selection: claimed, Summed: claimed.Mechanism}
		for _, c := range values(n) {
			if c >= threshold {
				out.Counts = append(out.Counts, c)
			}
		}
		n, err = mechanism.AddNoise(ctx, sealed(tb, len(out.Counts), rows), ledgertest.Receipt(tb, sums), sums, 2)
		out.Sums = values(n)
		return out, err
	}
}

// TestKeys checks that keys that are selected as claimed pass, with probability above 1 - 1e-9. Keys with other noise
// in the counts or in the sums, or of a lower threshold, fail: each statistic is then more than 8 of its own standard
// deviations above its threshold. Keys of fewer units than the minimum fail too.
func TestKeys(t *testing.T) {
	m := claim(1.25)
	claimed := calibrate.KeySelection{Mechanism: m, Keys: 1, Failure: 0.1}
	units, err := claimed.Threshold()
	if err != nil {
		t.Fatal(err)
	}
	least := float64(units) * m.Grid
	const share, kept = "discovered keys, audit of keys of one unit", "discovered keys, those above the threshold and " +
		"no others, in all tables"
	const few = "discovered keys, of fewer than the least number of units"
	for _, c := range []struct {
		threshold    float64
		counts, sums calibrate.Mechanism
		leak         int64
		fails        string
	}{
		{least, m, m, 0, ""},
		{least, m, m, 1, few},
		{least - 0.5, m, m, 0, kept},
		{least, claim(1.7), m, 0, share},
		{least, claim(1.7), m, 0, "discovered keys, audit of keys of the least number of units"},
		{least, claim(1), m, 0, "discovered keys, exact probabilities of counts"},
		{least, m, claim(1), 0, "discovered keys, exact probabilities of sums"},
	} {
		checks, err := selftest.Keys(t.Context(), selecting(t, claimed, c.threshold, c.counts, c.sums, c.leak))
		if err != nil {
			t.Fatal(err)
		}
		if c.fails != "" {
			if find(t, checks, c.fails).Pass {
				t.Errorf("%s: passes", c.fails)
			}
			continue
		}
		if selftest.Failed(checks) != 0 || len(checks) != 6 || find(t, checks, share).Statistic < 0.07 {
			t.Errorf("%+v", checks)
		}
	}
}

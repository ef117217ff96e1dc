package ledger_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

func geometric(tb testing.TB, query string, l1, scale float64) calibrate.Mechanism {
	tb.Helper()
	m, err := calibrate.Pure{Query: query, Why: "one row", Noise: calibrate.Laplace{L1: l1, Scale: scale}, Grid: 1,
		Geometric: true}.Mechanism()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// A pure mechanism is charged with the mu that covers its epsilon, is read back with its noise and scale, and gets a
// receipt for this noise only.
func TestPureCharge(t *testing.T) {
	t.Parallel()
	ctx, book := t.Context(), ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "x")
	m := geometric(t, "q", 1, 10)
	c.Mechanisms = []calibrate.Mechanism{m}
	if _, err := book.Charge(ctx, c); err != nil {
		t.Fatal(err)
	}
	r, back, err := book.Resume(ctx, "x", 1)
	if err != nil || len(back.Mechanisms) != 1 || back.Mechanisms[0] != m {
		t.Fatalf("%+v, %v", back.Mechanisms, err)
	}
	balance, _, err := book.Balance(ctx, c.Account)
	mu, errMu := calibrate.PureMu(0.1)
	spent, _ := balance.Spent.Float64()
	if square := float64(mu * mu); err != nil || errMu != nil || spent < square*(1-1e-15) || spent > square*(1+1e-9) {
		t.Errorf("spent %v, want %v; %v", spent, square, err)
	}
	entries, err := book.Entries(ctx)
	if err != nil || !bytes.Contains(entries[1].Body, []byte(`"noise":"two-sided geometric","query":"q","scale":"10"`)) {
		t.Errorf("%s, %v", entries[1].Body, err)
	}
	for what, other := range map[string]calibrate.Mechanism{
		"less noise": geometric(t, "q", 1, 9.99), "Gaussian": {Query: "q", Sens: m.Sens, Sigma: m.Sigma,
			Grid: 1}, "another sensitivity": geometric(t, "q", 2, 20),
	} {
		if err := r.Redeem(other); !errors.Is(err, ledger.ErrRedeem) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := r.Redeem(m); err != nil {
		t.Error(err)
	}
	if audit, err := book.Audit(ctx); err != nil || len(audit.Findings) > 0 {
		t.Errorf("%v, %v", audit, err)
	}
}

// A charge that is smaller than the noise requires is refused: a scale too small for its sigma, a scale for Gaussian
// noise, an unknown noise.
func TestPureChargeRefuses(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*calibrate.Mechanism){
		"less scale":   func(m *calibrate.Mechanism) { m.Scale *= 1 - 1e-9 },
		"larger sigma": func(m *calibrate.Mechanism) { m.Sigma *= 1 + 1e-9 },
		"no scale":     func(m *calibrate.Mechanism) { m.Scale = 0 },
		"no noise":     func(m *calibrate.Mechanism) { m.Noise = calibrate.Gaussian },
		"other noise":  func(m *calibrate.Mechanism) { m.Noise = "uniform" },
	} {
		c := ledgertest.Quarter(t, "x")
		m := geometric(t, "q", 1, 10)
		change(&m)
		c.Mechanisms = []calibrate.Mechanism{m}
		if _, err := ledger.NewBook(ledgertest.Memory(t), time.Now).Charge(t.Context(), c); !errors.Is(err,
			ledger.ErrCharge) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

package ledger_test

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

func mechanism(query string) calibrate.Mechanism {
	return calibrate.Mechanism{Query: query, Sens: calibrate.Sensitivity{L2: 5}, Sigma: 20, Grid: 1}
}

func TestRedeem(t *testing.T) {
	t.Parallel()
	charged := mechanism("a")
	for name, change := range map[string]func(*calibrate.Mechanism){
		"query":      func(m *calibrate.Mechanism) { m.Query = "b" },
		"larger l2":  func(m *calibrate.Mechanism) { m.Sens.L2 *= 2 },
		"smaller l2": func(m *calibrate.Mechanism) { m.Sens.L2 /= 2 },
		"grid":       func(m *calibrate.Mechanism) { m.Grid /= 2 },
		"less noise": func(m *calibrate.Mechanism) { m.Sigma = calibrate.Sigma(math.Nextafter(20, 0)) },
		"no noise":   func(m *calibrate.Mechanism) { m.Sigma = 0 },
		"no number":  func(m *calibrate.Mechanism) { m.Sigma = calibrate.Sigma(math.NaN()) },
	} {
		r := ledgertest.Receipt(t, charged)
		m := charged
		change(&m)
		if err := r.Redeem(m); !errors.Is(err, ledger.ErrRedeem) {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.Redeem(charged); err != nil {
			t.Errorf("%s: the refusal spent the part: %v", name, err)
		}
		if err := r.Redeem(charged); !errors.Is(err, ledger.ErrRedeem) {
			t.Errorf("%s: redeemed twice: %v", name, err)
		}
	}
}

func TestRedeemMoreNoise(t *testing.T) {
	t.Parallel()
	r := ledgertest.Receipt(t, mechanism("a"), mechanism("b"))
	m := mechanism("b")
	m.Sigma, m.Sens.Why = 21, "in other words"
	if err := errors.Join(r.Redeem(m), r.Redeem(mechanism("a"))); err != nil {
		t.Error(err)
	}
}

func TestEmptyReceipt(t *testing.T) {
	t.Parallel()
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	var empty ledger.Receipt
	for _, err := range []error{
		empty.Redeem(mechanism("a")),
		b.Cancel(t.Context(), empty),
		b.Seal(t.Context(), empty, ledgertest.Digests("a")),
	} {
		if !errors.Is(err, ledger.ErrReceipt) {
			t.Errorf("an empty receipt: %v", err)
		}
	}
}

func TestRedeemTogether(t *testing.T) {
	t.Parallel()
	r := ledgertest.Receipt(t, mechanism("a"), mechanism("b"))
	var done atomic.Int64
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			if r.Redeem(mechanism([]string{"a", "b"}[i%2])) == nil {
				done.Add(1)
			}
		})
	}
	all.Wait()
	if done.Load() != 2 {
		t.Errorf("%d parts redeemed, want 2", done.Load())
	}
}

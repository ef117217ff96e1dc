package ledger_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

func following(query, first string) calibrate.Mechanism {
	m := mechanism(query)
	m.ChosenBy = first
	if first != "" {
		m.RuleVersion = 1
	}
	return m
}

// If the sensitivity of a mechanism is chosen from the noisy values of another one, its charge can be used once, only
// after the charge of the other one, and with no more mu than was charged.
func TestRedeemChosen(t *testing.T) {
	t.Parallel()
	first, charged := mechanism("q/clamp"), following("q", "q/clamp")
	chosen := charged
	chosen.Sens.L2, chosen.Sigma, chosen.Grid = 0.5, 2, 0.125
	r := ledgertest.Receipt(t, charged, first)
	if err := r.Redeem(chosen); !errors.Is(err, ledger.ErrRedeem) {
		t.Errorf("before the first: %v", err)
	}
	if err := r.Redeem(first); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*calibrate.Mechanism){
		"larger l2":     func(m *calibrate.Mechanism) { m.Sens.L2, m.Sigma = 10, 40 },
		"less noise":    func(m *calibrate.Mechanism) { m.Sigma = calibrate.Sigma(math.Nextafter(2, 0)) },
		"no number":     func(m *calibrate.Mechanism) { m.Sigma = calibrate.Sigma(math.NaN()) },
		"after nothing": func(m *calibrate.Mechanism) { m.ChosenBy = "" },
		"another rule":  func(m *calibrate.Mechanism) { m.RuleVersion = 2 },
		"after itself":  func(m *calibrate.Mechanism) { m.ChosenBy = "q" },
		"grid":          func(m *calibrate.Mechanism) { m.Grid = 0.3 },
	} {
		m := chosen
		if change(&m); !errors.Is(r.Redeem(m), ledger.ErrRedeem) {
			t.Errorf("%s: redeemed", name)
		}
	}
	if err := r.Redeem(chosen); err != nil {
		t.Error(err)
	}
	if err := r.Redeem(chosen); !errors.Is(err, ledger.ErrRedeem) {
		t.Errorf("twice: %v", err)
	}
	fixed := ledgertest.Receipt(t, first, mechanism("q"))
	if err := errors.Join(fixed.Redeem(first)); err != nil {
		t.Fatal(err)
	}
	for _, m := range []calibrate.Mechanism{chosen, charged} {
		if err := fixed.Redeem(m); !errors.Is(err, ledger.ErrRedeem) {
			t.Errorf("a fixed sensitivity was chosen: %v", err)
		}
	}
}

// A mechanism and the one that it follows are charged together, and the ledger holds both afterwards.
func TestChargeChosen(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "run")
	ruleless, ruled := following("q", "q/clamp"), mechanism("q/clamp")
	ruleless.RuleVersion, ruled.RuleVersion = 0, 1
	for _, ms := range [][]calibrate.Mechanism{
		{ruleless, mechanism("q/clamp")},
		{mechanism("q"), ruled},
		{following("q", "q/clamp")},
		{following("q", "q")},
		{following("q", "p"), following("p", "o"), mechanism("o")},
	} {
		if c.Mechanisms = ms; !errors.Is(errorOf(b.Charge(ctx, c)), ledger.ErrCharge) {
			t.Errorf("%v was charged", ms)
		}
	}
	quiet := func(m calibrate.Mechanism) calibrate.Mechanism { m.Sigma = 1e6; return m }
	c.Mechanisms = []calibrate.Mechanism{quiet(following("q", "q/clamp")), quiet(mechanism("q/clamp"))}
	if _, err := b.Charge(ctx, c); err != nil {
		t.Fatal(err)
	}
	_, got, err := b.Resume(ctx, c.Run, c.Number)
	if err != nil || got.Mechanisms[0].ChosenBy != "q/clamp" || got.Mechanisms[0].RuleVersion != 1 ||
		got.Mechanisms[1].RuleVersion != 0 ||
		got.Mechanisms[1].ChosenBy != "" {
		t.Errorf("%v, %v", got.Mechanisms, err)
	}
}

func errorOf(_ ledger.Receipt, err error) error { return err }

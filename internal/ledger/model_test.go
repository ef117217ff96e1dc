package ledger_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// model is a simple model of the ledger of three runs, for first releases only.
type model struct {
	t        *testing.T
	store    ledger.Store
	book     *ledger.Book
	state    map[string]ledger.State
	receipts map[string]ledger.Receipt
	drawn    map[string]bool
	charges  map[string]ledger.Charge
}

// In any order of steps and crashes, a Book answers like the model. States only move forward. The sum of the counted
// charges is exact and within the cap.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{t: t, store: ledgertest.Memory(t)}
		m.crash()
		m.state, m.charges = map[string]ledger.State{}, map[string]ledger.Charge{}
		for i, run := range []string{"a", "b", "c"} {
			c := ledgertest.Quarter(t, run)
			c.Mechanisms[0].Sigma = calibrate.Sigma(1.5 + 0.3*float64(i)) // any two may pass the cap
			m.charges[run] = c
		}
		run := rapid.SampledFrom([]string{"a", "b", "c"})
		rt.Repeat(map[string]func(*rapid.T){
			"charge":  func(rt *rapid.T) { m.charge(rt, run.Draw(rt, "run")) },
			"redeem":  func(rt *rapid.T) { m.redeem(rt, run.Draw(rt, "run")) },
			"seal":    func(rt *rapid.T) { m.seal(rt, run.Draw(rt, "run")) },
			"publish": func(rt *rapid.T) { m.publish(rt, run.Draw(rt, "run")) },
			"release": func(rt *rapid.T) { m.release(rt, run.Draw(rt, "run")) },
			"crash":   func(*rapid.T) { m.crash() },
			"":        m.check,
		})
	})
}

func (m *model) crash() {
	m.book = ledger.NewBook(m.store, time.Now)
	m.receipts, m.drawn = map[string]ledger.Receipt{}, map[string]bool{}
}

// counted returns the mechanisms of all runs that count.
func (m *model) counted() (out []calibrate.Mechanism) {
	for run, state := range m.state {
		if state != ledger.Cancelled {
			out = append(out, m.charges[run].Mechanisms...)
		}
	}
	return out
}

func (m *model) charge(rt *rapid.T, run string) {
	r, err := m.book.Charge(m.t.Context(), m.charges[run])
	var want bool
	switch m.state[run] {
	case ledger.Reserved:
		want = true
	case "", ledger.Cancelled:
		mu, _ := calibrate.GaussianMu(calibrate.Guarantee{Epsilon: 1, Delta: 1e-6})
		want = mu.Covers(calibrate.ComposedMu2(append(m.counted(), m.charges[run].Mechanisms...)))
	}
	if want != (err == nil) {
		rt.Fatalf("charge of %s (%s): %v, want %v", run, m.state[run], err, want)
	}
	if err == nil {
		m.receipts[run], m.state[run] = r, ledger.Reserved
	}
}

func (m *model) redeem(rt *rapid.T, run string) {
	r := m.receipts[run]
	err := r.Redeem(m.charges[run].Mechanisms[0])
	if err == nil && m.state[run] != ledger.Reserved {
		rt.Fatalf("redeemed %s, which is %q", run, m.state[run])
	}
	if err == nil {
		m.drawn[run] = true
	}
}

func (m *model) seal(rt *rapid.T, run string) {
	err := m.book.Seal(m.t.Context(), m.receipts[run], ledgertest.Digests("a"))
	_, holds := m.receipts[run]
	if want := holds && m.state[run] == ledger.Reserved; want != (err == nil) {
		rt.Fatalf("seal of %s (%s): %v", run, m.state[run], err)
	}
	if err == nil {
		m.state[run] = ledger.Sealed
	}
}

func (m *model) publish(rt *rapid.T, run string) {
	err := m.book.Publish(m.t.Context(), run, 1)
	if want := m.state[run] == ledger.Sealed || m.state[run] == ledger.Published; want != (err == nil) {
		rt.Fatalf("publish of %s (%s): %v", run, m.state[run], err)
	}
	if err == nil {
		m.state[run] = ledger.Published
	}
}

func (m *model) release(rt *rapid.T, run string) {
	err := m.book.Cancel(m.t.Context(), m.receipts[run])
	_, holds := m.receipts[run]
	if want := holds && m.state[run] == ledger.Reserved && !m.drawn[run]; want != (err == nil) {
		rt.Fatalf("release of %s (%s, drawn %v): %v", run, m.state[run], m.drawn[run], err)
	}
	if err == nil {
		m.state[run] = ledger.Cancelled
	}
	if errors.Is(err, ledger.ErrDrawn) && !m.drawn[run] {
		rt.Fatalf("nothing was drawn on %s", run)
	}
}

func (m *model) check(rt *rapid.T) {
	for _, b := range []*ledger.Book{m.book, ledger.NewBook(m.store, time.Now)} {
		runs, err := b.Runs(m.t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		for _, r := range runs {
			if r.State != m.state[r.Charge.Run] {
				rt.Fatalf("%s is %s, want %s", r.Charge.Run, r.State, m.state[r.Charge.Run])
			}
		}
		now, err := b.Snapshot(m.t.Context())
		if err != nil || len(runs) != len(m.state) {
			rt.Fatalf("%d runs, want %d (%v)", len(runs), len(m.state), err)
		}
		for _, a := range now.Accounts {
			if a.Spent.Cmp(calibrate.ComposedMu2(m.counted())) != 0 || a.Spent.Cmp(a.Cap) > 0 || a.Share() > 1 {
				rt.Fatalf("spent %v of %v, share %v", a.Spent, a.Cap, a.Share())
			}
		}
	}
}

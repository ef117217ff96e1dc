package ledger_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

func TestChargeIsChecked(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*ledger.Charge){
		"run":        func(c *ledger.Charge) { c.Run = "" },
		"number":     func(c *ledger.Charge) { c.Number = 0 },
		"dataset":    func(c *ledger.Charge) { c.Account.Dataset = "" },
		"unit":       func(c *ledger.Charge) { c.Account.Unit = "" },
		"adjacency":  func(c *ledger.Charge) { c.Account.Adjacency = "both" },
		"folder":     func(c *ledger.Charge) { c.Dir = "out" },
		"utf-8":      func(c *ledger.Charge) { c.Dir += "\xff" },
		"parameter":  func(c *ledger.Charge) { c.Params = map[string]string{"day": "\xff"} },
		"delta":      func(c *ledger.Charge) { c.Delta = calibrate.Delta(math.NaN()) },
		"none":       func(c *ledger.Charge) { c.Mechanisms = nil },
		"twice":      func(c *ledger.Charge) { c.Mechanisms = append(c.Mechanisms, c.Mechanisms[0]) },
		"unnamed":    func(c *ledger.Charge) { c.Mechanisms[0].Query = "" },
		"zero":       func(c *ledger.Charge) { c.Mechanisms[0].Sens.L2 = 0 },
		"negative":   func(c *ledger.Charge) { c.Mechanisms[0].Sens.L2 = -1 },
		"infinite":   func(c *ledger.Charge) { c.Mechanisms[0].Sens.L2 = math.Inf(1) },
		"no noise":   func(c *ledger.Charge) { c.Mechanisms[0].Sigma = 0 },
		"nan noise":  func(c *ledger.Charge) { c.Mechanisms[0].Sigma = calibrate.Sigma(math.NaN()) },
		"all noise":  func(c *ledger.Charge) { c.Mechanisms[0].Sigma = calibrate.Sigma(math.Inf(1)) },
		"grid":       func(c *ledger.Charge) { c.Mechanisms[0].Grid = 3 },
		"no grid":    func(c *ledger.Charge) { c.Mechanisms[0].Grid = 0 },
		"minus grid": func(c *ledger.Charge) { c.Mechanisms[0].Grid = -1 },
	} {
		b := ledger.NewBook(ledgertest.Memory(t), time.Now)
		c := ledgertest.Quarter(t, "a")
		spoil(&c)
		if _, err := b.Charge(t.Context(), c); !errors.Is(err, ledger.ErrCharge) {
			t.Errorf("%s: %v", name, err)
		}
		if head, err := b.Head(t.Context()); err != nil || head.Seq != 0 {
			t.Errorf("%s: %d entries, %v", name, head.Seq, err)
		}
	}
}

func TestBudgetIsChecked(t *testing.T) {
	t.Parallel()
	for _, budget := range []ledger.Budget{{Epsilon: "-1", Delta: "1e-6"}, {Epsilon: "1", Delta: "0"},
		{Epsilon: "1", Delta: "1"}, {Epsilon: "", Delta: "1e-6"}, {Epsilon: "1", Delta: "nan"}} {
		b := ledger.NewBook(ledgertest.Memory(t), time.Now)
		c := ledgertest.Quarter(t, "a")
		c.Budget = budget
		if _, err := b.Charge(t.Context(), c); !errors.Is(err, ledger.ErrCharge) {
			t.Errorf("budget %v: %v", budget, err)
		}
	}
}

// Charges are read back exactly.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := ledgertest.Quarter(t, rapid.StringN(1, 20, -1).Draw(rt, "run"))
		c.Job = rapid.String().Draw(rt, "job")
		c.Dir += rapid.String().Draw(rt, "dir")
		c.Params = rapid.MapOfN(rapid.String(), rapid.String(), 0, 3).Draw(rt, "params")
		c.Budget.Epsilon = "1e6"
		m := &c.Mechanisms[0]
		m.Query = rapid.StringN(1, 20, -1).Draw(rt, "query")
		m.Sens.Why = rapid.String().Draw(rt, "why")
		m.Sens.L2 = rapid.Float64Range(1e-300, 1e300).Draw(rt, "l2")
		m.Sigma = calibrate.Sigma(m.Sens.L2 * rapid.Float64Range(1, 100).Draw(rt, "noise"))
		m.Grid = math.Ldexp(1, rapid.IntRange(-1074, 1023).Draw(rt, "grid"))
		s := ledgertest.Memory(t)
		if _, err := ledger.NewBook(s, time.Now).Charge(t.Context(), c); err != nil {
			rt.Fatal(err)
		}
		got, ok, err := ledger.NewBook(s, time.Now).Lookup(t.Context(), c.Run)
		if err != nil || !ok || !reflect.DeepEqual(got.Charge, c) {
			rt.Errorf("charged %+v, read %+v (%v)", c, got.Charge, err)
		}
	})
}

// After a refusal, a job with the epsilon that the refusal names is accepted, and one with 0.1 % more is not.
func TestFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		delta := calibrate.Delta(rapid.SampledFrom([]float64{1e-9, 1e-6, 1e-3}).Draw(rt, "delta"))
		b := ledger.NewBook(ledgertest.Memory(t), time.Now)
		first := ledgertest.Quarter(t, "first")
		first.Budget.Epsilon = rapid.SampledFrom([]string{"0.1", "1", "30"}).Draw(rt, "budget")
		first.Mechanisms = []calibrate.Mechanism{ledgertest.Mechanism(t, first.Budget,
			rapid.Float64Range(1.01, 50).Draw(rt, "k"))}
		if _, err := b.Charge(t.Context(), first); err != nil {
			rt.Fatal(err)
		}
		asked := first
		asked.Run, asked.Delta = "second", delta
		asked.Mechanisms = []calibrate.Mechanism{ledgertest.Mechanism(t, first.Budget, 0.5)}
		var refused *ledger.OverBudgetError
		if _, err := b.Charge(t.Context(), asked); !errors.As(err, &refused) {
			rt.Fatalf("four times the budget: %v", err)
		}
		if refused.Epsilon == "" || refused.Epsilon == "0" {
			rt.Skip("nothing fits, or delta alone")
		}
		budget := ledger.Budget{Epsilon: refused.Epsilon, Delta: strconv.FormatFloat(float64(delta), 'g', -1, 64)}
		e, err := strconv.ParseFloat(refused.Epsilon, 64)
		if err != nil {
			rt.Fatal(err)
		}
		asked.Mechanisms = []calibrate.Mechanism{ledgertest.Mechanism(t,
			ledger.Budget{Epsilon: strconv.FormatFloat(e*1.002+1e-300, 'g', -1, 64), Delta: budget.Delta}, 1)}
		if _, err := b.Charge(t.Context(), asked); !errors.As(err, &refused) {
			rt.Errorf("epsilon %s fits, and so does more: %v", budget.Epsilon, err)
		}
		asked.Mechanisms = []calibrate.Mechanism{ledgertest.Mechanism(t, budget, 1)}
		if _, err := b.Charge(t.Context(), asked); err != nil {
			rt.Errorf("epsilon %s was said to fit: %v", budget.Epsilon, err)
		}
	})
}

var errLost = errors.New("connection lost")

// doubtful is a store whose commits succeed but return an error.
type doubtful struct {
	ledger.Store
	on bool
}

func (d *doubtful) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	if err := d.Store.Update(ctx, fn); err != nil || !d.on {
		return err
	}
	return errLost
}

func TestCommitInDoubt(t *testing.T) {
	t.Parallel()
	s := &doubtful{Store: ledgertest.Memory(t), on: true}
	b, ctx, c := ledger.NewBook(s, time.Now), t.Context(), ledgertest.Quarter(t, "a")
	twice := func(what string, step func() error) {
		s.on = true
		if err := step(); !errors.Is(err, errLost) {
			t.Errorf("%s: %v", what, err)
		}
		s.on = false
		if err := step(); err != nil {
			t.Errorf("%s, again: %v", what, err)
		}
	}
	var r ledger.Receipt
	reserve := func() (err error) {
		r, err = b.Charge(ctx, c)
		return err
	}
	twice("charge", reserve)
	twice("release", func() error { return b.Cancel(ctx, r) })
	twice("charge after release", reserve)
	twice("seal", func() error { return b.Seal(ctx, r, ledgertest.Digests("a")) })
	twice("publish", func() error { return b.Publish(ctx, "a", 1) })
	if head, err := b.Head(ctx); err != nil || head.Seq != 6 {
		t.Errorf("%d entries, want 6 (%v)", head.Seq, err)
	}
}

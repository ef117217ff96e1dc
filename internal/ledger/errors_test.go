package ledger_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// A refusal states what is asked for, spent and left, and what would fit.
func TestOverBudgetText(t *testing.T) {
	t.Parallel()
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "a")
	if _, err := b.Charge(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	c.Run, c.Delta = "b", 1e-9
	c.Mechanisms[0].Sigma = 1
	_, err := b.Charge(t.Context(), c)
	var over *ledger.OverBudgetError
	if !errors.As(err, &over) {
		t.Fatalf("error %v, want a %T", err, over)
	}
	for _, want := range []string{`dataset "taxi"`, "epsilon 1,", "delta 1e-6", "needs 100 %", "75 % is left",
		"at delta 1e-9",
		"at most " + over.Epsilon + " fits"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %s", err, want)
		}
	}
	if four := over.Asked.Cmp(over.Balance.Cap); four != 0 || over.Balance.Share() != 0.25 {
		t.Errorf("asked %v of %v, share %v", over.Asked, over.Balance.Cap, over.Balance.Share())
	}
	t.Log(err)
}

func TestTexts(t *testing.T) {
	t.Parallel()
	have := ledger.Account{Dataset: "taxi", Unit: "cab_id", Adjacency: "add-remove"}
	want := ledger.Account{Dataset: "taxi", Unit: "row", Adjacency: "replace-one"}
	for text, err := range map[string]error{
		`the budget of dataset "taxi" is for unit cab_id, add-remove; the job has unit row, replace-one`: &ledger.AccountError{Have: have, Want: want},
		`the budget of dataset "taxi" is epsilon 1, delta 1e-6; the job states epsilon 2, delta 1e-6`: &ledger.ChangedBudgetError{
			Account: have, Have: ledger.Budget{Epsilon: "1", Delta: "1e-6"}, Want: ledger.Budget{Epsilon: "2", Delta: "1e-6"}},
		`release 2 of run 0123456789ab is published: it cannot take the step "reserve"`: &ledger.StateError{
			Run: "0123456789abcdef", Number: 2, State: ledger.Published, Step: ledger.KindReserve},
		`release 1 of run a is unknown: it cannot take the step "publish"`: &ledger.StateError{Run: "a", Number: 1,
			Step: ledger.KindPublish},
		`release 1 of run a was recorded with other mechanisms`: &ledger.MismatchError{Run: "a", Number: 1,
			What: "mechanisms"},
		`the ledger is damaged: entry 3: it is missing`: &ledger.CorruptError{Seq: 3,
			Why: "it is missing"},
		`the ledger was written by a newer version: entry 3`: &ledger.NewerError{Seq: 3},
	} {
		if err.Error() != text {
			t.Errorf("%q, want %q", err, text)
		}
	}
}

// At delta 0 the epsilon that fits is stated for Laplace noise, which costs more than Gaussian noise of the same
// epsilon.
func TestPureEpsilonThatFits(t *testing.T) {
	t.Parallel()
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "a")
	c.Delta = 0
	c.Mechanisms[0].Sigma = 0.5
	_, err := b.Charge(t.Context(), c)
	var over *ledger.OverBudgetError
	if !errors.As(err, &over) {
		t.Fatalf("error %v, want a %T", err, over)
	}
	epsilon, err := calibrate.ParseDown(over.Epsilon)
	if err != nil {
		t.Fatal(err)
	}
	fits := func(epsilon float64) bool {
		mu, err := calibrate.PureMu(calibrate.Epsilon(epsilon))
		return err == nil && new(big.Float).SetFloat64(float64(mu*mu)).Cmp(over.Balance.Left) <= 0
	}
	if !fits(epsilon) || fits(epsilon*1.01) || !strings.Contains(over.Error(), "at delta 0 ") {
		t.Errorf("epsilon %g: %v", epsilon, over)
	}
}

package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// A published release is withdrawn once, with a reason; its spend stays, nothing is rerendered from it, and a new
// release can be charged.
func TestWithdraw(t *testing.T) {
	ctx, book := t.Context(), ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "x")
	r, err := book.Charge(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	var state *ledger.StateError
	if err := book.Withdraw(ctx, "x", 1, "wrong"); !errors.As(err, &state) {
		t.Errorf("what is not published was withdrawn: %v", err)
	}
	if err := errors.Join(book.Seal(ctx, r, ledgertest.Digests("a")), book.Publish(ctx, "x", 1)); err != nil {
		t.Fatal(err)
	}
	if err := book.Withdraw(ctx, "x", 1, " "); !errors.Is(err, ledger.ErrCharge) {
		t.Errorf("withdrawn without a reason: %v", err)
	}
	before, _, err := book.Balance(ctx, c.Account)
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range []string{"wrong input", "said again"} {
		if err := book.Withdraw(ctx, "x", 1, reason); err != nil {
			t.Fatal(err)
		}
	}
	run, _, err := book.Lookup(ctx, "x")
	if err != nil || run.Withdrawn == nil || run.Withdrawn.Reason != "wrong input" || run.State != ledger.Published {
		t.Errorf("%+v (%v)", run, err)
	}
	after, _, err := book.Balance(ctx, c.Account)
	if err != nil || after.Spent.Cmp(before.Spent) != 0 {
		t.Errorf("the spend changed: %v, %v (%v)", before.Spent, after.Spent, err)
	}
	d := ledger.Rerendering{Rendering: ledgertest.Digests("b").Release, Release: ledgertest.Digests("b").Release,
		Dir: "/x", Job: "x"}
	if err := book.Rerender(ctx, "x", 1, d); !errors.As(err, &state) {
		t.Errorf("a withdrawn release was presented anew: %v", err)
	}
	c.Number = 2
	if _, err := book.Charge(ctx, c); err != nil {
		t.Error(err)
	}
	if audit, err := book.Audit(ctx); err != nil || len(audit.Findings) > 0 {
		t.Errorf("%v (%v)", audit, err)
	}
	entries, err := book.Entries(ctx)
	if err != nil || entries[4].Kind != ledger.KindWithdraw || entries[4].Schema != ledger.Schema {
		t.Errorf("%v (%v)", entries, err)
	}
}

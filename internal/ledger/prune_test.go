package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// The deletion of a publication is recorded once and only for what was published; its spend stays, and a later
// publication in the same folder is not deleted with it.
func TestPrune(t *testing.T) {
	ctx, book := t.Context(), ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "x")
	r, err := book.Charge(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	digests := ledgertest.Digests("a")
	var state *ledger.StateError
	if err := book.Prune(ctx, "x", 1, digests.Release); !errors.As(err, &state) {
		t.Errorf("what is not published was pruned: %v", err)
	}
	if err := errors.Join(book.Seal(ctx, r, digests), book.Publish(ctx, "x", 1)); err != nil {
		t.Fatal(err)
	}
	if err := book.Prune(ctx, "x", 1, ledgertest.Digests("b").Release); !errors.Is(err, ledger.ErrDigest) {
		t.Errorf("an unknown publication was pruned: %v", err)
	}
	before, _, err := book.Balance(ctx, c.Account)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := book.Prune(ctx, "x", 1, digests.Release); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := book.Entries(ctx)
	if err != nil || len(entries) != 5 || entries[4].Kind != ledger.KindPrune {
		t.Errorf("%d entries (%v)", len(entries), err)
	}
	run, _, err := book.Lookup(ctx, "x")
	if _, pruned := run.PrunedIn(c.Dir); err != nil || !pruned || run.State != ledger.Published {
		t.Errorf("%+v (%v)", run, err)
	}
	after, _, err := book.Balance(ctx, c.Account)
	if err != nil || after.Spent.Cmp(before.Spent) != 0 {
		t.Errorf("the spend changed: %v, %v (%v)", before.Spent, after.Spent, err)
	}
	later := ledgertest.Digests("b").Release
	if err := book.Rerender(ctx, "x", 1, ledger.Rerendering{Rendering: later, Release: later,
		Dir: c.Dir, Job: "x"}); err != nil {
		t.Fatal(err)
	}
	run, _, err = book.Lookup(ctx, "x")
	if _, pruned := run.PrunedIn(c.Dir); err != nil || pruned {
		t.Errorf("a later publication counts as pruned: %+v (%v)", run, err)
	}
	if audit, err := book.Audit(ctx); err != nil || len(audit.Findings) > 0 {
		t.Errorf("%v (%v)", audit, err)
	}
}

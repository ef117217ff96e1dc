package ledgertest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
)

// runTogether runs n calls of fn at once. It returns how many succeeded and how many returned an OverBudgetError.
func runTogether(t *testing.T, n int, fn func(i int) error) (done, over int) {
	t.Helper()
	var ok, refused atomic.Int64
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			var full *ledger.OverBudgetError
			switch err := fn(i); {
			case err == nil:
				ok.Add(1)
			case errors.As(err, &full):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	return int(ok.Load()), int(refused.Load())
}

// testOverspend charges many runs at once, over two Books as two processes would. The budget has room for four.
func testOverspend(t *testing.T, s ledger.Store) {
	books := []*ledger.Book{book(s), book(s)}
	done, over := runTogether(t, 16, func(i int) error {
		_, err := books[i%2].Charge(t.Context(), Quarter(t, fmt.Sprint("run ", i)))
		return err
	})
	if done != 4 || over != 12 {
		t.Errorf("%d charged and %d refused, want 4 and 12", done, over)
	}
	if k := kinds(t, books[0]); k != "brrrr" {
		t.Errorf("entries %q, want brrrr", k)
	}
}

// testReserveOnce checks that a run that is charged many times at once is charged once, and that only one of the
// receipts can redeem.
func testReserveOnce(t *testing.T, s ledger.Store) {
	b, c := book(s), Quarter(t, "a")
	receipts := make([]ledger.Receipt, 16)
	runTogether(t, len(receipts), func(i int) (err error) {
		receipts[i], err = b.Charge(t.Context(), c)
		return err
	})
	if k := kinds(t, b); k != "br" {
		t.Errorf("entries %q, want br", k)
	}
	var redeemed atomic.Int64
	runTogether(t, len(receipts), func(i int) error {
		if receipts[i].Redeem(c.Mechanisms[0]) == nil {
			redeemed.Add(1)
		}
		return nil
	})
	if redeemed.Load() != 1 {
		t.Errorf("%d receipts were redeemed, want 1", redeemed.Load())
	}
}

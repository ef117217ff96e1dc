package ledger_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// A quote is the next answer of Charge, and records nothing.
func TestQuote(t *testing.T) {
	t.Parallel()
	book := ledger.NewBook(ledgertest.Memory(t), time.Now)
	for i, run := range []string{"a", "b", "c", "d", "e"} {
		c := ledgertest.Quarter(t, run)
		c.Budget.Year = ledger.Limit{Epsilon: "1", Delta: "1e-6"}
		q, err := book.Quote(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range q.Rooms {
			if r.Share != 0.25 || r.Fits != float64(3-i) {
				t.Errorf("charge %d: %+v", i, r)
			}
		}
		if len(q.Rooms) != 2 || q.Rooms[1].Per != "year" || q.Opens != (i == 0) || q.Never {
			t.Errorf("charge %d: %+v", i, q)
		}
		first, err := ledger.QuoteFirst(c, time.Now())
		if err != nil || first.Refusal != nil || !first.Opens || first.Rooms[0].Fits != 3 {
			t.Errorf("charge %d of a new ledger: %+v (%v)", i, first, err)
		}
		_, err = book.Charge(t.Context(), c)
		if (q.Refusal == nil) != (err == nil) || err != nil && err.Error() != q.Refusal.Error() {
			t.Errorf("charge %d: quoted %v, charged %v", i, q.Refusal, err)
		}
	}
}

// A quote distinguishes a charge that exceeds a cap from a charge that exceeds the rest of the cap.
func TestQuoteNever(t *testing.T) {
	t.Parallel()
	large := ledgertest.Quarter(t, "a")
	large.Mechanisms[0].Sigma /= 4
	share := ledgertest.Quarter(t, "a")
	share.Budget.Delta, share.Budget.DeltaCap, share.DeltaShare = "1e-6", "1e-7", "2e-7"
	half, whole := share, share
	half.DeltaShare, whole.DeltaShare = "5e-8", "1e-7"
	full := ledgertest.Quarter(t, "a")
	full.Mechanisms[0].Sigma /= 2
	day := ledgertest.Quarter(t, "a")
	day.Budget.Day = ledger.Limit{Epsilon: "0.1", Delta: "1e-6"}
	for name, c := range map[string]struct {
		charge ledger.Charge
		never  bool
		room   int
		share  float64
	}{"in all": {large, true, 0, 4}, "all": {full, false, 0, 1}, "delta": {share, true, 1, 2}, "all of delta": {whole, false, 1,
		1}, "half of delta": {half, false, 1, 0.5}, "a day": {day, true, 0, 0.25}} {
		q, err := ledger.QuoteFirst(c.charge, time.Now())
		if err != nil || q.Never != c.never || (q.Refusal == nil) == c.never || q.Rooms[c.room].Share != c.share {
			t.Errorf("%s: %+v (%v)", name, q, err)
		}
	}
	large.Budget.Epsilon = "0"
	if q, err := ledger.QuoteFirst(large, time.Now()); err != nil || !q.Never || q.Rooms[0].Share < 4 ||
		math.IsNaN(q.Rooms[0].Fits) {
		t.Errorf("a budget of epsilon 0: %+v (%v)", q, err)
	}
	large.Run = ""
	if _, err := ledger.QuoteFirst(large, time.Now()); !errors.Is(err, ledger.ErrCharge) {
		t.Error(err)
	}
}

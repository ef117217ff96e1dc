package ledger_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// A forecast equals the answers that Charge then gives, charge by charge: mu² and parts of delta add up over the
// charges that fit, refused charges cost nothing, and datasets do not pay for each other.
func TestForecastIsWhatChargesGet(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 11))
	shares := []string{"", "", "1e-300", "2e-7", "5e-7", "7.00000000000000000000000000001e-7"}
	for trial := range 60 {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		book := ledger.NewBook(ledgertest.Memory(t), func() time.Time { return now })
		var charges []ledger.Charge
		for i := range 9 {
			c := ledgertest.Quarter(t, string(rune('a'+i)))
			if r.IntN(3) == 0 {
				c.Account.Dataset = "bikes"
			}
			c.Budget.Delta, c.Budget.DeltaCap, c.DeltaShare = "2e-6", "1e-6", shares[r.IntN(len(shares))]
			switch r.IntN(3) {
			case 0:
				c.Mechanisms[0].Sigma *= 64
			case 1:
				c.Mechanisms[0].Sigma *= 1.5
			}
			if trial%2 == 0 {
				c.Budget.Day = ledger.Limit{Epsilon: "0.9", Delta: "1.9e-6"}
			}
			charges = append(charges, c)
		}
		before := r.IntN(4) // some are in the ledger already
		for _, c := range charges[:before] {
			_, _ = book.Charge(t.Context(), c) // a refusal is as good as another start
		}
		forecast, err := book.Forecast(t.Context(), charges[before:])
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range charges[before:] {
			_, err := book.Charge(t.Context(), c)
			if text(forecast[i]) != text(err) {
				t.Fatalf("trial %d, charge %d: forecast %q, charged %q", trial, i, text(forecast[i]), text(err))
			}
		}
	}
}

func text(err error) string {
	if err == nil {
		return "fits"
	}
	return err.Error()
}

// The room in delta_cap is the part that earlier charges have left.
func TestQuoteOfWhatIsLeftOfDelta(t *testing.T) {
	t.Parallel()
	book := ledger.NewBook(ledgertest.Memory(t), time.Now)
	for i, fits := range []float64{3, 2, 1, 0, -1} {
		c := ledgertest.Quarter(t, string(rune('a'+i)))
		c.Mechanisms[0].Sigma *= 1 << 10
		c.Budget.Delta, c.Budget.DeltaCap, c.DeltaShare = "2e-6", "1e-6", "2.5e-7"
		q, err := book.Quote(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		room := q.Rooms[len(q.Rooms)-1]
		if room.Per != "delta_cap" || room.Fits != fits || room.Share != 0.25 || q.Never ||
			(q.Refusal == nil) != (fits >= 0) {
			t.Errorf("charge %d: %+v, refused: %v; want room for %g more", i, room, q.Refusal, fits)
		}
		if _, err := book.Charge(t.Context(), c); (err == nil) != (fits >= 0) {
			t.Errorf("charge %d: %v", i, err)
		}
	}
}

package ledger

import (
	"errors"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
)

// TestPeriodKeepsShares: a period's noise and all shares of delta that may ever be taken are within the period's guarantee.
func TestPeriodKeepsShares(t *testing.T) {
	b := Budget{Epsilon: "5", Delta: "1e-5", DeltaCap: "4e-7", Day: Limit{Epsilon: "1", Delta: "1e-6"}}
	c, err := b.caps()
	if err != nil {
		t.Fatal(err)
	}
	noise, err := calibrate.GaussianDelta(1, c.periods[0])
	if err != nil {
		t.Fatal(err)
	}
	all := new(big.Rat).SetFloat64(float64(noise))
	all.Add(all, c.delta)
	if most := big.NewRat(1, 1e6); all.Cmp(most) > 0 || all.Cmp(big.NewRat(999, 1e9)) < 0 {
		t.Errorf("a day's delta is %s with the shares, of %s", all.FloatString(20), most.FloatString(20))
	}
	b.DeltaCap = b.Day.Delta
	if _, err := b.caps(); !errors.Is(err, errShares) {
		t.Errorf("shares as large as a day's delta: %v", err)
	}
	b.DeltaCap, b.Day = "", Limit{}
	if c, err = b.caps(); err != nil || c.periods != [3]calibrate.Mu{} {
		t.Errorf("no period: %v, %v", c.periods, err)
	}
}

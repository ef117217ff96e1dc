package ledger

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
)

// The mu² and the delta that can ever be charged in a period stay within the guarantee of the period.
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

// All noise and all shares of delta that can ever be charged are within the lifetime's guarantee, and use it up.
func TestLifetimeKeepsShares(t *testing.T) {
	for _, share := range []string{"", "1e-9", "4e-7", "9.9e-6"} {
		c, err := Budget{Epsilon: "5", Delta: "1e-5", DeltaCap: share}.caps()
		if err != nil {
			t.Fatal(err)
		}
		noise, err := calibrate.GaussianDelta(5, c.mu)
		if err != nil {
			t.Fatal(err)
		}
		total, ok := new(big.Rat).SetString("1e-5")
		if !ok {
			t.Fatal("no number")
		}
		all := new(big.Rat).SetFloat64(float64(noise))
		all.Add(all, c.delta)
		used, _ := new(big.Rat).Quo(all, total).Float64()
		if all.Cmp(total) > 0 || used < 1-1e-9 {
			t.Errorf("delta_cap %q: noise and shares take %v of delta, want all and no more", share, used)
		}
	}
}

// What a refused release needs and what is left never look equal, and have no exponent.
func TestTinyNeedAndRestDiffer(t *testing.T) {
	for _, c := range []struct {
		asked, left float64
		want        string
	}{
		{0.1401, 0.13, "needs 14.1 % of"}, {0.5, 1.239e-8, "(epsilon 1, delta 1e-6), under 0.01 % is left"},
		{1.24e-8, 1.239e-8, "needs under 0.01 % of"}, {1.24e-8, 1.239e-8, "less is left"}, {0.5, 1e-18, ", 0 % is left"},
		{0.12345, 0.12344, "needs 12.4 % of"}, {0.12345, 0.12344, ", 12.3 % is left"},
	} {
		b := Balance{Account: Account{Dataset: "d"}, Budget: Budget{Epsilon: "1", Delta: "1e-6"}, Cap: big.NewFloat(1),
			Left: big.NewFloat(c.left)}
		text := (&OverBudgetError{Balance: b, Asked: big.NewFloat(c.asked), Delta: 1e-6}).Error()
		if !strings.Contains(text, c.want) {
			t.Errorf("%g of which %g is left: %s, want %s", c.asked, c.left, text, c.want)
		}
	}
}

// The delta that is spent is never stated smaller than it is.
func TestSpentDeltaIsRoundedUp(t *testing.T) {
	spent, _ := new(big.Rat).SetString("1.2345671e-7")
	err := &OverShareError{Balance: Balance{DeltaSpent: spent}, Asked: "1e-7"}
	if text := err.Error(); !strings.HasSuffix(text, " 1.23457e-7 is spent") {
		t.Error(text)
	}
}

// The sum of mu² and the remainder of a cap are exact, also for terms of very different sizes.
func TestSumsAreExact(t *testing.T) {
	tiny := new(big.Float).SetMantExp(big.NewFloat(1), -400)
	total := new(big.Float)
	for _, x := range []*big.Float{big.NewFloat(1), tiny, big.NewFloat(3), tiny} {
		total = sum(total, x)
	}
	rest := remainder(total, big.NewFloat(4))
	if want := new(big.Float).SetMantExp(big.NewFloat(1), -399); rest.Cmp(want) != 0 {
		t.Errorf("1 + 2^-400 + 3 + 2^-400 - 4 is %s, want %s", rest.Text('p', 0), want.Text('p', 0))
	}
	if remainder(big.NewFloat(4), total).Sign() != 0 {
		t.Error("something is left of less than what was spent")
	}
}

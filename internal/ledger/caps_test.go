package ledger

import (
	"errors"
	"math/big"
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

// Percentages are rounded up or down, to three digits; down to 0 if they are tiny, so that a rest of rounding is no
// rest.
func TestPercent(t *testing.T) {
	float := func(text string) *big.Float {
		x, _, err := big.ParseFloat(text, 10, 300, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, c := range [][4]string{
		{"14", "100", "14", "14"}, {"1", "3", "33.4", "33.3"}, {"2", "3", "66.7", "66.6"}, {"0.9999", "1", "100", "99.9"},
		{"0", "5", "0", "0"}, {"1e-600", "1", "0", "0"}, {"1e-300", "3", "3.34e-299", "0"},
		{"2.17e-16", "1", "2.17e-14", "0"}, {"1.239e-8", "1", "1.24e-06", "1.23e-06"},
		{"1e9", "1", "1e+11", "1e+11"},
		{"0.25000000000000000000000000000000000000000001", "1", "25.1", "25"},
	} {
		part, whole := float(c[0]), float(c[1])
		if up, down := percent(part, whole, true), percent(part, whole, false); up != c[2] || down != c[3] {
			t.Errorf("%s of %s: %s and %s, want %s and %s", c[0], c[1], up, down, c[2], c[3])
		}
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

package ledger

import (
	"math/big"
	"testing"
)

// What is spent is never printed smaller than it is, and what is left never larger.
func TestAmountKeepsItsDirection(t *testing.T) {
	for i := range 1000 {
		x := new(big.Float).SetPrec(256).Quo(big.NewFloat(1), big.NewFloat(float64(3+2*i)))
		exact, _ := x.Rat(nil)
		up, _ := new(big.Rat).SetString(Amount(x, big.ToPositiveInf))
		down, _ := new(big.Rat).SetString(Amount(x, big.ToNegativeInf))
		if up.Cmp(exact) < 0 || down.Cmp(exact) > 0 {
			t.Fatalf("1/%d: %s and %s", 3+2*i, up.FloatString(20), down.FloatString(20))
		}
	}
}

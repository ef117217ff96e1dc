package manifest

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// The rest of a delta is the largest float64 that the two decimals allow, whether the nearest float64 is above or
// below.
func TestLeftForNoise(t *testing.T) {
	for i := range 200 {
		share := fmt.Sprintf("%d.%de-10", i, i)
		for _, delta := range []string{"1e-5", "1e-6", "1e-7"} {
			exact := rat(t, delta)
			exact.Sub(exact, rat(t, share))
			got := LeftForNoise(delta, share)
			if new(big.Rat).SetFloat64(got).Cmp(exact) > 0 || new(big.Rat).SetFloat64(math.Nextafter(got, 1)).Cmp(exact) <= 0 {
				t.Errorf("%s less %s is not %g", delta, share, got)
			}
		}
	}
	for _, bad := range [][2]string{{"1e-6", ""}, {"", "0"}, {"1e-6", "-1e-9"}, {"1e-9", "1e-9"}} {
		if left := LeftForNoise(bad[0], bad[1]); left != 0 {
			t.Errorf("%q less %q is %g", bad[0], bad[1], left)
		}
	}
}

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	return r
}

// The stated mu squared is never below the exact one, and is a decimal that reads back.
func TestStatedNumbersAreRoundedUp(t *testing.T) {
	for i := range 2000 {
		x := new(big.Float).SetPrec(256).Quo(big.NewFloat(float64(i)+1), big.NewFloat(float64(7*i)+3))
		stated, ok := new(big.Rat).SetString(up(x))
		exact, _ := x.Rat(nil)
		if !ok || stated.Cmp(exact) < 0 {
			t.Fatalf("up(%s) is %s, which is below it or no number", x.Text('g', 40), up(x))
		}
		if wide := new(big.Rat).Mul(exact, big.NewRat(1e12+1, 1e12)); stated.Cmp(wide) > 0 {
			t.Fatalf("up(%s) is %s, far above it", x.Text('g', 40), up(x))
		}
	}
}

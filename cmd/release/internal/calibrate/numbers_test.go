package calibrate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestDigits17: the text is the least decimal of 17 digits that is not below the number, and any reader gets the number
// or its upper neighbour.
func TestDigits17(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	numbers := []float64{0, 1, 0.1, 9.5, 5e-324, math.MaxFloat64, 1e17, 123456789012345678, 1e-5, 9.9999999999999999e22,
		0.99999999999999989, 1e16}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		numbers = append(numbers, math.Exp(r.Float64()*1400-700))
	}
	for _, x := range numbers {
		down, ok := new(big.Rat).SetString(digits17(x, false))
		if exact := new(big.Rat).SetFloat64(x); !ok || down.Cmp(exact) > 0 ||
			new(big.Rat).Mul(down, big.NewRat(1e16+1, 1e16)).Cmp(exact) < 0 {
			t.Fatalf("%v: %q is not the decimal below it", x, digits17(x, false))
		}
		text := digits17(x, true)
		mantissa, _, _ := strings.Cut(text, "e")
		if n := len(strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "0")); x != 0 && n != 17 {
			t.Fatalf("%v: %q has %d digits", x, text, n)
		}
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || back != x && back != math.Nextafter(x, math.Inf(1)) {
			t.Fatalf("%v: %q reads as %v, %v", x, text, back, err)
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok || exact.Cmp(new(big.Rat).SetFloat64(x)) < 0 {
			t.Fatalf("%v: %q is below it", x, text)
		}
	}
}

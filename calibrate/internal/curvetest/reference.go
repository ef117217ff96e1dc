package curvetest

import (
	"math/big"
	"strings"
	"testing"
)

// Nearest returns the float64 nearest to a decimal number.
func Nearest(t *testing.T, text string) float64 {
	t.Helper()
	x, ok := new(big.Float).SetPrec(2000).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	f, _ := x.Float64()
	return f
}

// Precise returns a decimal number as a big.Float of 400 bits, or 0 if it is far below every float64.
func Precise(t *testing.T, text string) *big.Float {
	t.Helper()
	if _, exponent, found := strings.Cut(text, "e-"); found && len(exponent) > 3 {
		return new(big.Float)
	}
	x, ok := new(big.Float).SetPrec(400).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return x
}

// Within checks that got is safe and tight: exact <= got <= exact·(1 + tolerance). exact has 29 digits.
func Within(t *testing.T, what string, got float64, exact *big.Float, tolerance float64) {
	t.Helper()
	slip := new(big.Float).SetPrec(400).Mul(exact, big.NewFloat(1e-29))
	if big.NewFloat(got).Cmp(slip.Sub(exact, slip)) < 0 {
		t.Errorf("%s: %v is below %.20g", what, got, exact)
	}
	most := new(big.Float).SetPrec(400).Mul(exact, big.NewFloat(1+tolerance))
	if exact.Cmp(big.NewFloat(0x1p-1022)) < 0 {
		most.SetFloat64(0x1p-1022)
	}
	if big.NewFloat(got).Cmp(most) > 0 {
		t.Errorf("%s: %v is above %.20g·(1 + %g)", what, got, exact, tolerance)
	}
}

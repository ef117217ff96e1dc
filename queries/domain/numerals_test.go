package domain

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// exactNumeral parses a decimal number with big rationals; ok is false if the text is not a number.
func exactNumeral(text string) (float64, bool) {
	mantissa, power, found := strings.Cut(strings.ToLower(text), "e")
	e := new(big.Int)
	if found {
		if _, ok := e.SetString(power, 10); !ok {
			return 0, false
		}
	}
	r, ok := new(big.Rat).SetString(mantissa)
	switch {
	case !ok:
		return 0, false
	case r.Sign() == 0:
		return 0, true
	}
	n := new(big.Int).Sub(e, big.NewInt(int64(len(mantissa)))) // the power is at least this, and at most e and the length
	switch {
	case n.Cmp(big.NewInt(400)) > 0:
		return math.Inf(r.Sign()), true
	case new(big.Int).Add(e, big.NewInt(int64(len(mantissa)))).Cmp(big.NewInt(-400)) < 0:
		return 0, true
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), new(big.Int).Abs(e), nil))
	if e.Sign() < 0 {
		scale.Inv(scale)
	}
	x, _ := r.Mul(r, scale).Float64()
	return x, true
}

// Texts of any length are the doubles nearest to them, however their digits are spread over the mantissa and the
// exponent.
func TestNumeralsAreNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 4000 {
		digits := strconv.Itoa(rng.IntN(1000)) + strings.Repeat(strconv.Itoa(rng.IntN(10)), rng.IntN(900)) +
			strconv.Itoa(rng.IntN(10))
		switch rng.IntN(4) {
		case 0: // halfway between two doubles, or next to that
			x := math.Float64frombits(rng.Uint64() &^ (1 << 63) % math.Float64bits(math.MaxFloat64))
			half := new(big.Float).SetPrec(60).Add(big.NewFloat(x), big.NewFloat(math.Nextafter(x, math.Inf(1))))
			digits = strings.ReplaceAll(half.Quo(half, big.NewFloat(2)).Text('e', 1100), ".", "")
			digits, _, _ = strings.Cut(digits, "e")
			digits = strings.TrimRight(digits, "0") + []string{"", "0", "1", strings.Repeat("0", 900) + "1"}[rng.IntN(4)]
		case 1:
			digits = strings.Repeat("0", rng.IntN(900)) + digits
		}
		at := rng.IntN(len(digits) + 1)
		text := []string{"", "+", "-"}[rng.IntN(3)] + digits[:at] + "." + digits[at:]
		if rng.IntN(4) > 0 {
			text += fmt.Sprintf("%s%+d", []string{"e", "E"}[rng.IntN(2)], rng.IntN(800)-400-at)
		}
		want, ok := exactNumeral(text)
		if got, read := ParseFloat([]byte(text)); !ok || !read || got != want {
			t.Fatalf("%s: %v, %v, want %v", text, got, read, want)
		}
	}
}

// Many digits, and large exponents that compensate them.
func TestNumeralsOfManyDigits(t *testing.T) {
	zeros := strings.Repeat("0", 200_000)
	for text, want := range map[string]float64{
		"0." + zeros + "25e200001": 2.5, "25" + zeros + "e-200001": 2.5, "-25" + zeros + ".7e-200001": -2.5, "0." + zeros +
			"25e-200001": 0, zeros + "25." + zeros: 25,
		"1" + zeros: math.Inf(1), "-1" + zeros: math.Inf(-1), "1e" + zeros + "3": 1000, "1e-" + zeros + "3": 1e-3, "1e" +
			strings.Repeat("9", 500): math.Inf(1), "0" + zeros + "e999999999999999999999": 0,
		"1" + strings.Repeat("0", 999) + "1e-999": 10, strings.Repeat("0", maxNumeral-1) + "7": 7,
	} {
		if x, ok := ParseFloat([]byte(text)); !ok || x != want {
			t.Errorf("%.20s… of %d bytes: %v, %v, want %v", text, len(text), x, ok, want)
		}
	}
	for _, none := range [][]byte{
		bytes.Repeat([]byte("0"), maxNumeral+1), []byte(zeros + "."[:0] + "x"), []byte(zeros + ".." + zeros), []byte(zeros +
			"e"), []byte(zeros + "e+"), []byte(zeros + "e1.5"), []byte("+-" + zeros), []byte(zeros +
			" "), bytes.Repeat([]byte("."), 500),
	} {
		if x, ok := ParseFloat(none); ok {
			t.Errorf("%.20s… of %d bytes is %v", none, len(none), x)
		}
		if x, ok := parseInt(none); ok {
			t.Errorf("%.20s… of %d bytes is %v", none, len(none), x)
		}
	}
}

// Texts of integers are read as big integers are, if these fit in an int64.
func TestIntegersEqualBigIntegers(t *testing.T) {
	for _, digits := range []string{"0", "7", "999999999999999999", "1000000000000000000", "9223372036854775807",
		"9223372036854775808", "9223372036854775809", "00000000000000000000007", "18446744073709551616"} {
		for _, sign := range []string{"", "+", "-"} {
			want, _ := new(big.Int).SetString(sign+digits, 10)
			got, ok := parseInt([]byte(sign + digits))
			if ok != want.IsInt64() || ok && got != want.Int64() {
				t.Errorf("%s%s: %d, %t", sign, digits, got, ok)
			}
		}
	}
}

package calibrate

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseReadsKnownDecimals(t *testing.T) {
	const least = math.SmallestNonzeroFloat64
	for _, c := range []struct {
		text     string
		down, up float64
	}{
		{"0", 0, 0}, {"-0", 0, 0}, {"1", 1, 1}, {"+1.5", 1.5, 1.5}, {".5", 0.5, 0.5}, {"5.", 5, 5}, {"0.25e2", 25,
			25}, {"1E+2", 100, 100},
		{"0.1", math.Nextafter(0.1, 0), 0.1},
		{"1e-6", 1e-6, math.Nextafter(1e-6, 1)},
		{"0.3", 0.3, math.Nextafter(0.3, 1)},
		{"-0.1", -0.1, -math.Nextafter(0.1, 0)},
		{"1e-400", 0, least}, {"-1e-400", -least, 0}, {"1e-9999", 0, least},
		{"9007199254740993", 9007199254740992, 9007199254740994},
		{"1.7976931348623157e308", math.Nextafter(math.MaxFloat64, 0), math.MaxFloat64},
	} {
		down, err := ParseDown(c.text)
		if err != nil || down != c.down || math.Signbit(down) != math.Signbit(c.down) {
			t.Errorf("ParseDown(%q) = %v, %v; want %v", c.text, down, err, c.down)
		}
		up, err := ParseUp(c.text)
		if err != nil || up != c.up || math.Signbit(up) != math.Signbit(c.up) {
			t.Errorf("ParseUp(%q) = %v, %v; want %v", c.text, up, err, c.up)
		}
	}
}

func TestParseRefusesOtherText(t *testing.T) {
	for _, text := range []string{
		"", " ", "1 ", " 1", "+", "-", ".", "e5", ".e5", "1e", "1e+", "1e5.0", "--1", "+-1", "1..2", "1.2.3", "1,5", "1_000",
		"NaN", "nan", "inf", "-Inf",
		"infinity", "0x10", "0x1p-2", "0b1", "1/3", "1e309", "-1e309", "1e99999", "1e999999999", "1e-999999999",
		"1e99999999999999999999",
		"1e+00001", "١", "1\x00", strings.Repeat("9", 1201), "1e1e1", "Ⅷ", "1.8e308",
	} {
		for name, parse := range map[string]func(string) (float64, error){"ParseDown": ParseDown, "ParseUp": ParseUp,
			"ParseNearest": ParseNearest} {
			x, err := parse(text)
			if err == nil || x != 0 {
				t.Errorf("%s(%.30q) = %v, %v", name, text, x, err)
			} else if len(text) > 3 && strings.Contains(err.Error(), text) {
				t.Errorf("%s(%.30q) quotes its text: %v", name, text, err)
			}
		}
	}
}

// decimals draws texts of all sizes, most of which no float64 equals.
func decimals() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[+-]?[0-9]{1,25}(\.[0-9]{0,25})?(e[+-]?[0-9]{1,2})?`),
		rapid.StringMatching(`-?[0-9]\.[0-9]{1,40}e-3[0-3][0-9]`),
		rapid.StringMatching(`0\.[0-9]{1,300}`),
	)
}

// TestParseIsExact checks that ParseDown <= text <= ParseUp, that both are equal or neighbouring float64s, and that
// ParseNearest returns one of them.
func TestParseIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := decimals().Draw(t, "text")
		exact, _ := new(big.Rat).SetString(text)
		down, err := ParseDown(text)
		if err != nil {
			t.Fatal(err)
		}
		up, err := ParseUp(text)
		if err != nil {
			t.Fatal(err)
		}
		if new(big.Rat).SetFloat64(down).Cmp(exact) > 0 || new(big.Rat).SetFloat64(up).Cmp(exact) < 0 {
			t.Fatalf("%s is not within [%v, %v]", text, down, up)
		}
		if up != down && up != math.Nextafter(down, math.Inf(1)) {
			t.Fatalf("%s: %v and %v are not neighbours", text, down, up)
		}
		if near, err := ParseNearest(text); err != nil || near != down && near != up {
			t.Fatalf("%s: nearest is %v, %v, not %v or %v", text, near, err, down, up)
		}
		if up == down && new(big.Rat).SetFloat64(down).Cmp(exact) != 0 {
			t.Fatalf("%s is not %v", text, down)
		}
	})
}

// TestDecimalIsExact checks that a Decimal has exactly the value of its text, for any spelling and beyond the range of
// float64.
func TestDecimalIsExact(t *testing.T) {
	parsed := func(text string) Decimal {
		d, err := ParseDecimal(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return d
	}
	if parsed("1e-5").Cmp(parsed("0.000010")) != 0 ||
		parsed("0.1").Cmp(parsed("0.1000000000000000055511151231257827")) >= 0 {
		t.Error("equal decimals differ, or different ones are equal")
	}
	if (Decimal{}).Cmp(parsed("-0")) != 0 || (Decimal{}).String() != "0" || (Decimal{}).Down() != 0 {
		t.Error("the zero value is not 0")
	}
	large := parsed("-1e400")
	if large.Down() != math.Inf(-1) || large.Up() != -math.MaxFloat64 || large.Nearest() != math.Inf(-1) ||
		large.Cmp(parsed("-1.1e400")) <= 0 {
		t.Errorf("-1e400 rounds to %v, %v and %v", large.Down(), large.Up(), large.Nearest())
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := decimals().Draw(rt, "text")
		exact, ok := new(big.Rat).SetString(text)
		d := parsed(text)
		if !ok || d.Rat().Cmp(exact) != 0 || d.String() != text {
			rt.Errorf("%s is %s", text, d.Rat())
		}
		d.Rat().SetInt64(7)
		if d.Rat().Cmp(exact) != 0 {
			rt.Error("a caller may change a decimal")
		}
	})
}

// TestParseNearestGivesBackAWrittenFloat checks that a float64 that was written with enough digits is read back
// exactly.
func TestParseNearestGivesBackAWrittenFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		for _, digits := range []int{-1, 16, 20} {
			text := strconv.FormatFloat(x, 'e', digits, 64)
			if back, err := ParseNearest(text); err != nil || back != x {
				t.Fatalf("%v is written %s and read %v, %v", x, text, back, err)
			}
		}
	})
}

// TestFormatExactGivesTheNumberBack checks that ParseDown and ParseUp both return the number that FormatExact wrote.
func TestFormatExactGivesTheNumberBack(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, x float64) {
		text := FormatExact(x)
		down, err1 := ParseDown(text)
		up, err2 := ParseUp(text)
		if err1 != nil || err2 != nil || down != x || up != x || len(text) > 776 {
			t.Fatalf("%v is written %s and read %v, %v (%v, %v)", x, text, down, up, err1, err2)
		}
	}
	for _, x := range []float64{
		0, 1, -1, 0.1, 1e-5, math.Nextafter(1e-5, 0), 1e21, math.Nextafter(1e21, 0), 1e22, 4.2, 5e-324, 0x1p-1022,
		math.Nextafter(0x1p-1022, 0), math.MaxFloat64, -math.MaxFloat64, 100, 1e300,
	} {
		check(t, x)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Float64().Draw(t, "x")) })
	for x, want := range map[float64]string{
		math.Inf(1): "+Inf", math.Inf(-1): "-Inf", 100: "100", 0.5: "0.5", 1e22: "1e+22", math.Copysign(0, -1): "0",
		0.1: "0.1000000000000000055511151231257827021181583404541015625",
	} {
		if got := FormatExact(x); got != want {
			t.Errorf("FormatExact(%v) = %s, want %s", x, got, want)
		}
	}
	if got := FormatExact(math.NaN()); got != "NaN" {
		t.Errorf("FormatExact(NaN) = %s", got)
	}
}

// TestRoundDownIsTheLargestBelow checks that RoundDown returns the largest float64 that is not above the number.
func TestRoundDownIsTheLargestBelow(t *testing.T) {
	huge := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 1100))
	for _, c := range []struct {
		x    *big.Rat
		want float64
	}{
		{big.NewRat(0, 1), 0}, {big.NewRat(1, 4), 0.25}, {big.NewRat(1, 10), math.Nextafter(0.1, 0)}, {big.NewRat(-1, 10),
			-0.1}, {big.NewRat(3, 10), 0.3},
		{huge, math.MaxFloat64}, {new(big.Rat).Neg(huge), math.Inf(-1)}, {new(big.Rat).Inv(huge), 0},
	} {
		if got := RoundDown(c.x); got != c.want {
			t.Errorf("%.20s: %v, want %v", c.x, got, c.want)
		}
	}
}

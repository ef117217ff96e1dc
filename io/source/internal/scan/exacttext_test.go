package scan

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
)

// exactly returns the value of a text of a type in its exact form, nil if it has none.
func exactly(t rapid.TB, kind, text string, d Digits) any {
	t.Helper()
	types, wrong := TextTypes(map[string]string{"x": kind}, d, []string{"x"})
	if err := wrong.Err(); err != nil {
		t.Fatal(err)
	}
	tt := types["x"]
	var v table.Values
	if !tt.Parse([]byte(text), &v) {
		return nil
	}
	if tt.Type.Kind == table.Float {
		return v.Floats[0]
	}
	return v.Ints[0]
}

func TestExactFloats(t *testing.T) {
	for text, want := range map[string]any{
		"0.1": 0.1, "1e-1": 0.1, "0.10": 0.1, "+.1": 0.1, "100": 100.0, "1E2": 100.0, "0": 0.0, "-0": 0.0, "0e99": 0.0,
		"-2.5": -2.5, "1.": 1.0,
		"9007199254740992": 9007199254740992.0, "9007199254740993": nil, "9007199254740991": 9007199254740991.0,
		"5e-324": 5e-324, "4.9e-324": nil, "1e-999": nil,
		"1.7976931348623157e308": math.MaxFloat64, "1.7976931348623158e308": nil, "1e309": nil, "1e999": nil, "inf": nil,
		"-Infinity": nil, "NaN": nil, "0x1p-2": nil, "": nil, "x": nil,
		"0.1000000000000000055511151231257827": nil, "0.30000000000000004": 0.30000000000000004, "0.300000000000000041": nil,
		"12345678901234567.89": nil, "1234567890123456.75": nil, "1234567890123456.8": 1234567890123456.8,
	} {
		if got := exactly(t, "float", text, Digits{}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if f, _ := exactly(t, "float", "-0", Digits{}).(float64); math.Signbit(f) {
		t.Error("-0 is another unit than 0")
	}
	for text, want := range map[string]any{"1.234,5": 1234.5, "9.007.199.254.740.993": nil, "0,1": 0.1} {
		if got := exactly(t, "float", text, Digits{Decimal: ',', Thousands: '.'}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Two accepted decimals of one float are equal numbers, and every float can be written as an accepted decimal.
func TestExactFloatsAreInjective(t *testing.T) {
	decimal := rapid.StringMatching(`-?[0-9]{1,18}(\.[0-9]{0,3})?(e-?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a := decimal.Draw(t, "a")
		x, _ := new(big.Rat).SetString(a)
		near, _ := x.Float64()
		others := []string{decimal.Draw(t, "b"), strconv.FormatFloat(near, 'f', -1, 64),
			strconv.FormatFloat(near, 'e', 17, 64), strconv.FormatFloat(near, 'f', 1, 64), strconv.FormatFloat(near, 'f', 30,
				64)}
		for _, b := range others {
			f, g := exactly(t, "float", a, Digits{}), exactly(t, "float", b, Digits{})
			y, ok := new(big.Rat).SetString(b)
			if ok && f != nil && f == g && x.Cmp(y) != 0 {
				t.Fatalf("%s and %s are both %v", a, b, f)
			}
		}
		if got := exactly(t, "float", strconv.FormatFloat(near, 'g', -1, 64), Digits{}); got != near {
			t.Fatalf("%v is read as %v", near, got)
		}
	})
}

func TestExactTimes(t *testing.T) {
	clock, instant := "timestamp 2006-01-02 15:04:05", "timestamp 2006-01-02T15:04:05Z07:00 | 2.1.2006 15:04:05Z07:00"
	for _, c := range []struct {
		kind, text string
		want       any
	}{
		{clock, "1970-01-01 00:00:01", int64(1e6)}, {clock, "1970-01-01 00:00:01.5", int64(15e5)}, {clock,
			"1970-01-01 00:00:01.000001", int64(1000001)}, {clock, "1970-01-01 00:00:01.000001000", int64(1000001)},
		{clock, "1970-01-01 00:00:01.0000015", nil}, {clock, "1970-01-01 00:00:01.000000001", nil}, {clock,
			"1970-01-01 00:00:01.0000000001", nil}, {clock, "1970-01-01 00:00:01.00000000000000", int64(1e6)},
		{clock, "1970-01-01 00:00:01,0000000009", nil}, {clock, "1969-12-31 23:59:59.9999999", nil}, {clock,
			"1969-12-31 23:59:59.999999", int64(-1)}, {clock, "1970-01-01 00:00", nil},
		{instant, "1970-01-01T01:00:01.25+01:00", int64(125e4)}, {instant, "1970-01-01T01:00:01.2500000001+01:00",
			nil}, {instant, "1.1.1970 00:00:01.0000000001Z", nil}, {instant, "1.1.1970 00:00:01.0000000000Z", int64(1e6)},
		{"timestamp 02.20060102150405", "01.19700101000001", int64(1e6)}, // digits after a point that are no fraction
		{"date 2/1/2006 15:04", "2/1/1970 23:59", int64(1)}, {"date 2/1/2006 15:04", "2/1/1970 00:00", int64(1)}, {"date",
			"1970-01-02", int64(1)},
		{"int", " 007 ", int64(7)}, {"bool", "YES", int64(1)},
	} {
		if got := exactly(t, c.kind, c.text, Digits{}); got != c.want {
			t.Errorf("%s: %q: %v, want %v", c.kind, c.text, got, c.want)
		}
	}
}

package spelling_test

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/internal/spelling"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{0, 4, "0"}, {math.Copysign(0, -1), 4, "0"}, {math.NaN(), 4, "–"}, {math.Inf(1), 4, "–"},
		{382900.4, 4, "382,900"}, {-1234567.891, 9, "-1,234,567.89"}, {3272, 3, "3,272"}, {999, 3, "999"}, {-999, 3, "-999"}, {1000, 1, "1,000"},
		{0.25, 4, "0.25"}, {0.0001, 4, "0.0001"}, {0.00001, 4, "1e-5"}, {2.5e13, 4, "2.5e13"}, {22.1897, 4, "22.19"},
	} {
		if got := spelling.Number(c.x, c.digits); got != c.want {
			t.Errorf("%g with %d digits: %s, want %s", c.x, c.digits, got, c.want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "-": "-", "12": "12", "-123": "-123", "1234": "1,234", "-123456.7891": "-123,456.7891", "1e+21": "1e+21",
		"2024-01-01": "2024-01-01", "other1234": "other1234", "1234567": "1,234,567",
	} {
		if got := spelling.Grouped(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{382911.2: "382,900", -382911.2: "-382,900", 1132270: "1,132,000", 22.1897: "22.19",
		3: "3", 0.00020409: "0.0002041", math.MaxFloat64: "1.798e308", 2.401e11: "240,100,000,000", 0: "0"} {
		if got := spelling.Short(x, 4); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// No loss looks smaller than it is, and no noise larger.
func TestUpAndDown(t *testing.T) {
	for _, c := range []struct {
		x        float64
		digits   int
		up, down string
	}{
		{0.236704, 4, "0.2368", "0.2367"}, {0.2367, 4, "0.2367", "0.2366"}, {71.7117, 4, "71.72", "71.71"},
		{99.999, 4, "100", "99.99"}, {382911.2, 4, "383,000", "382,900"}, {-1.23456, 3, "-1.24", "-1.23"},
		{1.2341e-7, 4, "1.235e-7", "1.234e-7"}, {9.9999e-5, 3, "0.0001", "9.99e-5"}, {0.5, 3, "0.5", "0.5"},
		{1, 6, "1", "1"}, {0, 4, "0", "0"}, {math.Inf(1), 4, "–", "–"},
	} {
		if up, down := spelling.Up(c.x, c.digits), spelling.Down(c.x, c.digits); up != c.up || down != c.down {
			t.Errorf("%g with %d digits: %s and %s, want %s and %s", c.x, c.digits, up, down, c.up, c.down)
		}
	}
}

// A share of a budget is rounded so that nothing spent is hidden, and has no exponent.
func TestPercent(t *testing.T) {
	for _, c := range []struct {
		share    float64
		up, down string
	}{
		{0, "0 %", "0 %"}, {0.14, "14 %", "14 %"}, {0.1, "10 %", "10 %"}, {1.0 / 3, "33.4 %", "33.3 %"}, {0.99999, "100 %", "99.9 %"}, {0.25, "25 %", "25 %"},
		{0.25 + 0x1p-50, "25.1 %", "25 %"}, {1.239e-8, "under 0.01 %", "under 0.01 %"}, {0.0001234, "0.0124 %", "0.0123 %"},
		{2.17e-16, "under 0.01 %", "0 %"}, {12, "1,200 %", "1,200 %"}, {1e9, "more than a million %", "more than a million %"},
		{math.Inf(1), "more than a million %", "more than a million %"},
	} {
		if up, down := spelling.Percent(c.share, true), spelling.Percent(c.share, false); up != c.up || down != c.down {
			t.Errorf("%g: %s and %s, want %s and %s", c.share, up, down, c.up, c.down)
		}
	}
}

func TestExact(t *testing.T) {
	for x, want := range map[float64]string{5e8: "500,000,000", -1234567.25: "-1,234,567.25", 5e15: "5e15", 1e-7: "1e-7",
		0.1: "0.1", 0.001: "0.001", math.Copysign(0, -1): "0", 1.249999996321792e16: "1.249999996321792e16", 1: "1",
		1.0 / 3: "0.3333333333333333"} {
		if got := spelling.Exact(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{"1 row": spelling.Count(1, "row"), "0 rows": spelling.Count(0, "row"),
		"12,000 entries": spelling.Count(12000, "entry"), "-1,200 rows": spelling.Count(-1200, "row")} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

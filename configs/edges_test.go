package configs

import (
	"fmt"
	"math/big"
	"testing"
)

// A flaw names the key that the user must change.
func TestFlawsNameTheirKey(t *testing.T) {
	for _, c := range []struct{ from, to, width, every, key string }{
		{"0", "10", "5", "", ""}, {"a", "10", "5", "", "from"}, {"0", "0", "5", "", "to"}, {"0", "10", "-5", "",
			"width"}, {"0", "10", "3", "", "width"},
		{"0", "10", "1e-6", "", "width"}, {"0", "1e31", "1", "", "to"},
		{"2024-01-01", "2024-03-01", "", "month", ""}, {"2024-01", "2024-03-01", "", "month", "from"}, {"2024-01-31",
			"2024-03-31", "", "month", "from"},
		{"2024-01-01", "2024-03-02", "", "month", "to"}, {"2024-01-01", "2024-01-01", "", "day", "to"}, {"0001-01-01",
			"9999-01-01", "", "day", "every"},
	} {
		got, flaw := byWidth(c.from, c.to, c.width)
		if c.every != "" {
			got, flaw = byCalendar(c.from, c.to, c.every)
		}
		key := ""
		if flaw != nil {
			key = flaw.Key
		}
		if key != c.key || (len(got) > 0) != (c.key == "") {
			t.Errorf("%+v: %q, %d edges", c, key, len(got))
		}
	}
}

// The edges are the exact multiples of the width, with as many digits as the longest of the three numbers.
func TestEdgesOfEqualWidthAreExact(t *testing.T) {
	for _, c := range []struct {
		from, to, width string
		digits          int
	}{
		{"-3", "3", "1", 0}, {"-0.25", "0.25", "0.05", 2}, {"-1e2", "1e2", "12.5", 1}, {"0", "1e-3", "1e-5", 5},
		{"-123456789012345678901234567890", "-123456789012345678901234567885", "0.50", 2},
	} {
		got, flaw := byWidth(c.from, c.to, c.width)
		if flaw != nil {
			t.Fatalf("%+v: %+v", c, flaw)
		}
		at, _ := new(big.Rat).SetString(c.from)
		step, _ := new(big.Rat).SetString(c.width)
		for i, edge := range got {
			if want := at.FloatString(c.digits); edge != want {
				t.Errorf("%+v: edge %d is %q, want %q", c, i, edge, want)
			}
			at.Add(at, step)
		}
		if last, _ := new(big.Rat).SetString(c.to); last.Cmp(at.Sub(at, step)) != 0 {
			t.Errorf("%+v: the last edge is %v", c, at)
		}
	}
}

// A plan can have ten million edges: an edge costs its text and one more allocation at most, and the first edge alone
// costs nothing.
func TestEdgesAreCheap(t *testing.T) {
	const cells = 1000
	from, to, width := Scalar("0"), Scalar(fmt.Sprint(cells)), Scalar("1")
	d := Dimension{From: &from, To: &to, Width: &width}
	if n := testing.AllocsPerRun(10, func() { _, _ = d.computed() }); n > 2*cells+100 {
		t.Errorf("%v allocations for %d edges", n, cells)
	}
	if n := testing.AllocsPerRun(10, func() { _ = d.FirstEdge() }); n > 0 {
		t.Errorf("%v allocations for the first edge", n)
	}
}

package configs

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func scalars(texts ...Scalar) []Scalar { return texts }

func ladderOf(from, to, width Scalar) Dimension {
	return Dimension{From: &from, To: &to, Width: &width}
}

func TestExpanded(t *testing.T) {
	for _, c := range []struct {
		d    Dimension
		want []Scalar
	}{
		{Dimension{Edges: scalars("0", "18", "65")}, scalars("0", "18", "65")},
		{Dimension{Column: "x"}, nil},
		{ladderOf("0", "10", "5"), scalars("0", "5", "10")},
		{ladderOf("0", "0.3", "0.1"), scalars("0.0", "0.1", "0.2", "0.3")},
		{ladderOf("-1e1", "1e1", "1e1"), scalars("-10", "0", "10")},
		{ladderOf("0.05", "0.25", "1e-1"), scalars("0.05", "0.15", "0.25")},
		{ladderOf("0", "1", "0.3"), nil},
	} {
		if diff := cmp.Diff(c.want, c.d.Expanded()); diff != "" {
			t.Error(diff)
		}
	}
}

// The edges are exactly from + i*width, and the last is to.
func TestExpandedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(0, 4).Draw(t, "places")
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
		from, step := rapid.Int64Range(-1e6, 1e6).Draw(t, "from"), rapid.Int64Range(1, 1e4).Draw(t, "step")
		n := rapid.Int64Range(1, 50).Draw(t, "cells")
		at := func(i int64) *big.Rat { return new(big.Rat).SetFrac(big.NewInt(from+i*step), scale) }
		width := new(big.Rat).SetFrac(big.NewInt(step), scale)
		d := ladderOf(Scalar(at(0).FloatString(places)), Scalar(at(n).FloatString(places)), Scalar(width.FloatString(places)))
		edges := d.Expanded()
		if int64(len(edges)) != n+1 {
			t.Fatalf("%d edges for %d cells", len(edges), n)
		}
		for i, e := range edges {
			if got, ok := e.number(); !ok || got.Cmp(at(int64(i))) != 0 {
				t.Fatalf("edge %d is %s, not %s", i, e, at(int64(i)))
			}
		}
	})
}

func TestCalendarCells(t *testing.T) {
	for _, c := range []struct{ from, to, every, want string }{
		{"2024-02-28", "2024-03-02", "day", "[2024-02-28 2024-02-29 2024-03-01 2024-03-02]"},
		{"2023-12-25", "2024-01-08", "week", "[2023-12-25 2024-01-01 2024-01-08]"},
		{"2024-01-28", "2024-04-28", "month", "[2024-01-28 2024-02-28 2024-03-28 2024-04-28]"},
		{"2023-11-01", "2024-05-01", "quarter", "[2023-11-01 2024-02-01 2024-05-01]"},
		{"1899-12-31", "1900-12-31", "day", ""},
		{"2023-01-01", "2025-01-01", "year", "[2023-01-01 2024-01-01 2025-01-01]"},
	} {
		from, to := Scalar(c.from), Scalar(c.to)
		edges := Dimension{From: &from, To: &to, Every: c.every}.Expanded()
		if got := fmt.Sprint(edges); c.want != "" && got != c.want {
			t.Errorf("every %s from %s to %s: %s, want %s", c.every, c.from, c.to, got, c.want)
		}
		if c.want == "" && len(edges) != 366 { // 365 days make 366 edges
			t.Errorf("every %s from %s to %s: %d edges", c.every, c.from, c.to, len(edges))
		}
	}
}

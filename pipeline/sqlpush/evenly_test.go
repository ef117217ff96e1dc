package sqlpush

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The formula of smallArithmetic gives the index of the cell for numbers within the edges, and no cell's index for
// other numbers. The test tries numbers at and next to edges, and the smallest and largest ones.
func TestSmall(t *testing.T) {
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(rt, "cells")
		by := math.Pow10(rapid.IntRange(0, 3).Draw(rt, "digits"))
		first, width := float64(rapid.IntRange(-500, 500).Draw(rt, "first")), float64(rapid.IntRange(1, 40).Draw(rt, "width"))
		if rapid.Bool().Draw(rt, "from 0") {
			first = 0
		}
		at := make([]float64, n+1)
		for i := range at {
			at[i] = (first + float64(i)*width) / by
		}
		a, ok := smallArithmetic(at)
		if !ok {
			return
		}
		found++
		numbers := []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64, math.Inf(1),
			math.Inf(-1), 0x1p-1022, -0x1p-1022, 0x1p-60, -0x1p-60}
		for _, edge := range at {
			numbers = append(numbers, edge, math.Nextafter(edge, math.Inf(1)), math.Nextafter(edge, math.Inf(-1)))
		}
		for _, x := range numbers {
			cell := -1
			for i := range n {
				if at[i] <= x && x < at[i+1] {
					cell = i
				}
			}
			place := a.evaluateIntegers(x)
			if inside := place >= 0 && place < float64(n); inside != (cell >= 0) || inside && int(place) != cell {
				rt.Fatalf("%g is in cell %d of %v, and %+v says %g", x, cell, at, a, place)
			}
		}
	})
	if found == 0 {
		t.Error("no edges have such an arithmetic")
	}
}

// A factor below 1 would round the largest negative number to 0, into the first cell, so it is not used if the first
// edge is 0.
func TestSmallKeepsNegativeNumbersOut(t *testing.T) {
	at := []float64{0, 2, 4, 6}
	if a, ok := smallArithmetic(at); !ok || a.evaluateIntegers(-5e-324) >= 0 || (arithmetic{0.5, 0, 1, 0}).inside(at) {
		t.Errorf("%+v, %v", a, ok)
	}
}

// Edges at unequal distances are refined to evenly spaced edges that contain all given edges, or are not refined.
func TestRefined(t *testing.T) {
	for _, c := range []struct {
		at    []float64
		cells int
	}{
		{[]float64{0, 1, 2, 5, 10, 20, 50, 100}, 100}, {[]float64{0, 18, 30, 65}, 65}, {[]float64{-5, 0, 15},
			4}, {[]float64{0, 0.25, 1}, 4}, {[]float64{0, 1e9, 1e9 + 1}, 0}, {[]float64{0, 0.1, 0.35}, 0},
		{[]float64{0, 1}, 0}, {[]float64{-math.MaxFloat64, 0, math.MaxFloat64}, 0}, {[]float64{0, 5e-324, 1e-323}, 2},
	} {
		fine, places, ok := refinedEdges(c.at)
		if ok != (c.cells > 0) || ok && len(fine) != c.cells+1 {
			t.Errorf("%g are refined to %g", c.at, fine)
			continue
		}
		for i, p := range places {
			if fine[p] != c.at[i] {
				t.Errorf("edge %g is at %d, %g", c.at[i], p, fine[p])
			}
		}
	}
}

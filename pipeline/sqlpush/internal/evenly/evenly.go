// Package evenly finds arithmetic that gives the cell of a number between edges at even distances.
//
// A number is multiplied, moved, divided and rounded down. Each of these steps rises with the number, however it is rounded, and so does their result. So if
// that is right at both ends of each cell, it is right everywhere. Some ways to do it are tried until one is right; decimal edges have one if they are
// integers after a multiplication by a power of ten.
package evenly

import (
	"fmt"
	"math"
	"math/big"
)

// mostDecimals is how many digits after the point edges are tried with.
const mostDecimals = 15

// Arithmetic is floor((x · Times - Less) / By) - Minus, in which steps that change nothing are left out.
type Arithmetic struct{ Times, Less, By, Minus float64 }

// Of does what a database does. Conversions keep products and sums apart: each is rounded.
func (a Arithmetic) Of(x float64) float64 {
	x = float64(x * a.Times)
	x = float64(x - a.Less)
	return math.Floor(float64(x/a.By)) - a.Minus
}

// StartOf returns the edge from which on a database can be asked for the result: where a product or a quotient below the least double is an error,
// numbers near 0 must not get there. ok is false if they would.
func (a Arithmetic) StartOf(at []float64, failsBelow bool) (from float64, ok bool) {
	switch {
	case !failsBelow || a.Times >= 1 && (a.By <= 1 || a.Less != 0):
		return at[0], true
	case at[0] == 0:
		return at[1], true
	}
	return at[0], at[0]*a.Times/a.By > 1e-300
}

// AtMost says that the results between edges are the numbers of cells, or less than these by at most some.
func (a Arithmetic) AtMost(less int, at []float64) bool {
	for i := range len(at) - 1 {
		low, high := a.Of(at[i]), a.Of(math.Nextafter(at[i+1], at[0]))
		if !(low >= float64(max(0, i-less)) && high <= float64(i)) {
			return false
		}
	}
	return true
}

// Whole does what a database does that rounds down before it divides whole numbers.
func (a Arithmetic) Whole(x float64) float64 {
	x = float64(x * a.Times)
	x = math.Floor(float64(x - a.Less))
	return math.Floor(x/a.By) - a.Minus
}

// Inside says that the results of Whole are the numbers of cells between the edges, negative before them, and after them at least the number of all cells.
// So a number is in a cell if its result is the number of one, and is compared with no edge.
func (a Arithmetic) Inside(at []float64) bool {
	n := len(at) - 1
	for i := range n {
		if a.Whole(at[i]) != float64(i) || a.Whole(math.Nextafter(at[i+1], at[0])) != float64(i) {
			return false
		}
	}
	return a.Whole(math.Nextafter(at[0], math.Inf(-1))) < 0 && a.Whole(at[n]) >= float64(n)
}

// Write returns the expression, in which float writes a number.
func (a Arithmetic) Write(x string, float func(float64) string) string {
	if a.Times != 1 {
		x = "(" + x + " * " + float(a.Times) + ")"
	}
	if a.Less != 0 {
		x = "(" + x + " - " + float(a.Less) + ")"
	}
	if a.By != 1 {
		x = x + " / " + float(a.By)
	}
	x = "floor(" + x + ")"
	if a.Minus != 0 {
		x += " - " + float(a.Minus)
	}
	return x
}

// Small returns an arithmetic whose results are found without a comparison: that of Inside, whose numbers before the division by whole numbers are small.
func Small(at []float64) (a Arithmetic, ok bool) {
	for _, a = range Ways(at) {
		if a.Minus == 0 && a.By == math.Trunc(a.By) && a.By*float64(len(at)) <= 1<<15 && a.Inside(at) {
			return a, true
		}
	}
	return a, false
}

// mostFine is how many even cells edges are refined to, at most.
const mostFine = 250

// Refined returns even edges, few of them, among which all of some edges are, and their places there. ok is false if there are none.
func Refined(at []float64) (fine []float64, places []int64, ok bool) {
	last := len(at) - 1
	if last < 2 {
		return nil, nil, false
	}
	step := at[1] - at[0]
	for i := range last {
		if d := at[i+1] - at[i]; d == math.Trunc(d) && step == math.Trunc(step) {
			step = divisor(d, step)
		} else {
			step = min(step, d)
		}
	}
	if cells := (at[last] - at[0]) / step; !(cells <= mostFine) || cells != math.Trunc(cells) {
		return nil, nil, false
	}
	for k := 0; ; k++ {
		x := at[0] + float64(float64(k)*step)
		fine = append(fine, x)
		switch next := at[len(places)]; {
		case x > next:
			return nil, nil, false
		case x == next:
			places = append(places, int64(k))
		}
		if len(places) > last {
			return fine, places, true
		}
	}
}

// divisor is the greatest common divisor of two whole numbers.
func divisor(a, b float64) float64 {
	for b != 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// Bits is how many bits hold a number of cells, and of two more.
func Bits(cells float64) int {
	if cells+2 < 1<<8 {
		return 8
	}
	return 16
}

// Ways are those to try, the cheapest first.
func Ways(at []float64) []Arithmetic {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	if !(step > 0) || math.IsInf(1/step, 0) || math.IsInf(at[0]/step, 0) {
		return nil
	}
	all := []Arithmetic{{1 / step, at[0] / step, 1, 0}}
	for digits := range mostDecimals {
		first, width := scaled(at[0], digits), scaled(step, digits)
		if !first.IsInt() || !width.IsInt() {
			continue
		}
		times := math.Pow10(digits)
		by, _ := width.Float64()
		if q := new(big.Rat).Quo(first, width); q.IsInt() {
			minus, _ := q.Float64()
			all = append(all, Arithmetic{times, 0, by, minus})
		}
		less, _ := first.Float64()
		return append(all, Arithmetic{times, less, by, 0})
	}
	return all
}

// Decimal says that each edge is (width · its place + first) / by, of whole numbers.
func Decimal(at []float64) (first, width, by float64, ok bool) {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	for digits := range mostDecimals {
		a, b := scaled(at[0], digits), scaled(step, digits)
		if !a.IsInt() || !b.IsInt() {
			continue
		}
		first, _ = a.Float64()
		width, _ = b.Float64()
		by = math.Pow10(digits)
		for i, edge := range at {
			if float64(float64(width*float64(i))+first)/by != edge {
				return 0, 0, 0, false
			}
		}
		return first, width, by, true
	}
	return 0, 0, 0, false
}

// scaled is the decimal number that a double is written as, times a power of ten.
func scaled(x float64, digits int) *big.Rat {
	r, ok := new(big.Rat).SetString(fmt.Sprintf("%.15ge%d", x, digits))
	if !ok { // with an exponent of its own
		return big.NewRat(1, 2)
	}
	return r
}

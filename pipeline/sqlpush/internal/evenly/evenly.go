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

// MostDecimals is how many digits after the point edges are tried with.
const MostDecimals = 15

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

// Ways are those to try, the cheapest first.
func Ways(at []float64) []Arithmetic {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	if !(step > 0) || math.IsInf(1/step, 0) || math.IsInf(at[0]/step, 0) {
		return nil
	}
	all := []Arithmetic{{1 / step, at[0] / step, 1, 0}}
	for digits := range MostDecimals {
		first, width := Scaled(at[0], digits), Scaled(step, digits)
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

// Scaled is the decimal number that a double is written as, times a power of ten.
func Scaled(x float64, digits int) *big.Rat {
	r, ok := new(big.Rat).SetString(fmt.Sprintf("%.15ge%d", x, digits))
	if !ok { // with an exponent of its own
		return big.NewRat(1, 2)
	}
	return r
}

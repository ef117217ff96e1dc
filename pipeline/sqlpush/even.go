package sqlpush

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/queries/domain"
)

// Many edges at even distances
//
// The cell of a number is found by arithmetic: the number is multiplied, divided, moved and rounded down. Each of these steps rises with the number,
// however it is rounded, and so does their result. So if that is right at both ends of each cell, it is right everywhere, and the number is compared
// with no edge. Some ways to write the arithmetic are tried until one is right; decimal edges have one if they are integers after a multiplication
// by a power of ten. If there is none, a result that is right or one too small is compared with one edge.

const (
	manySteps   = 16
	mostSteps   = 1 << 12
	mostDecimal = 15 // digits after the point
)

// arithmetic is floor((x · times - less) / by) - minus, in which steps that change nothing are left out.
type arithmetic struct{ times, less, by, minus float64 }

// of does what a database does. Conversions keep products and sums apart: each is rounded.
func (a arithmetic) of(x float64) float64 {
	x = float64(x * a.times)
	x = float64(x - a.less)
	return math.Floor(float64(x/a.by)) - a.minus
}

// write returns the expression.
func (a arithmetic) write(w *writer, x string) string {
	if a.times != 1 {
		x = "(" + x + " * " + w.Float(a.times) + ")"
	}
	if a.less != 0 {
		x = "(" + x + " - " + w.Float(a.less) + ")"
	}
	if a.by != 1 {
		x = x + " / " + w.Float(a.by)
	}
	x = "floor(" + x + ")"
	if a.minus != 0 {
		x += " - " + w.Float(a.minus)
	}
	return w.Integer(x)
}

// startOf returns the edge from which on a database can be asked for the result: where a product or a quotient below the least double is an error,
// numbers near 0 must not get there. ok is false if they would.
func (a arithmetic) startOf(at []float64, failsBelow bool) (from float64, ok bool) {
	switch {
	case !failsBelow || a.times >= 1 && (a.by <= 1 || a.less != 0):
		return at[0], true
	case at[0] == 0:
		return at[1], true
	}
	return at[0], at[0]*a.times/a.by > 1e-300
}

// atMost says that the results between edges are the numbers of cells, or less than these by at most some.
func (a arithmetic) atMost(less int, at []float64) bool {
	for i := range len(at) - 1 {
		low, high := a.of(at[i]), a.of(math.Nextafter(at[i+1], at[0]))
		if !(low >= float64(max(0, i-less)) && high <= float64(i)) {
			return false
		}
	}
	return true
}

// ways are those to try, the cheapest first.
func ways(at []float64) []arithmetic {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	if !(step > 0) || math.IsInf(1/step, 0) || math.IsInf(at[0]/step, 0) {
		return nil
	}
	all := []arithmetic{{1 / step, at[0] / step, 1, 0}}
	for digits := range mostDecimal {
		first, width := scaled(at[0], digits), scaled(step, digits)
		if !first.IsInt() || !width.IsInt() {
			continue
		}
		times := math.Pow10(digits)
		by, _ := width.Float64()
		if q := new(big.Rat).Quo(first, width); q.IsInt() {
			minus, _ := q.Float64()
			all = append(all, arithmetic{times, 0, by, minus})
		}
		less, _ := first.Float64()
		return append(all, arithmetic{times, less, by, 0})
	}
	return all
}

// scaled is the decimal number that a double is written as, times a power of ten.
func scaled(x float64, digits int) *big.Rat {
	r, ok := new(big.Rat).SetString(fmt.Sprintf("%.15ge%d", x, digits))
	if !ok { // with an exponent of its own
		return big.NewRat(1, 2)
	}
	return r
}

// evenly returns the first cases of a CASE: those of the numbers from the first edge to before the last. ok is false if the edges are few or not even.
func (w *writer) evenly(x string, s *domain.Steps[float64]) (cases string, ok bool) {
	n := len(s.At) - 1
	if n < manySteps || n > mostSteps || int(s.Cells) != n || math.IsInf(s.At[n]-s.At[0], 0) {
		return "", false
	}
	for _, a := range ways(s.At) {
		if from, ok := a.startOf(s.At, w.failsBelow()); ok && a.atMost(0, s.At) {
			return w.between(x, from, s.At, a.write(w, x)), true
		}
	}
	below := arithmetic{times: float64(n) / (s.At[n] - s.At[0]) * (1 - 1.0/(1<<30)), by: 1}
	below.less = s.At[0] * below.times
	from, ok := below.startOf(s.At, w.failsBelow())
	if !ok || !below.atMost(1, s.At) {
		return "", false
	}
	next, ok := w.edge(s.At, below.write(w, x)+" + 1")
	if !ok {
		return "", false
	}
	return w.between(x, from, s.At, fmt.Sprintf("%s + CASE WHEN %s >= %s THEN 1 ELSE 0 END", below.write(w, x), x, next)), true
}

// edge returns an edge by its place, an expression. Decimal ones are quotients of integers, which are nearest to them.
func (w *writer) edge(at []float64, place string) (x string, ok bool) {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	for digits := range mostDecimal {
		first, width := scaled(at[0], digits), scaled(step, digits)
		if !first.IsInt() || !width.IsInt() {
			continue
		}
		a, _ := first.Float64()
		b, _ := width.Float64()
		for i, edge := range at {
			if float64(float64(b*float64(i))+a)/math.Pow10(digits) != edge {
				return w.Element(at, place)
			}
		}
		return fmt.Sprintf("(%s * %s + %s) / %s", w.Float(b), w.Double(place), w.Float(a), w.Float(math.Pow10(digits))), true
	}
	return w.Element(at, place)
}

// between returns the first cases of a CASE. Numbers before where the arithmetic starts are in the first cell.
func (w *writer) between(x string, from float64, at []float64, code string) string {
	cases := fmt.Sprintf("CASE WHEN %s >= %s AND %s < %s THEN %s", x, w.Float(from), x, w.Float(at[len(at)-1]), code)
	if from > at[0] {
		cases += fmt.Sprintf(" WHEN %s >= %s AND %s < %s THEN 0", x, w.Float(at[0]), x, w.Float(from))
	}
	return cases
}

package sqlpush

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/queries/domain"
)

// If edges are at equal distances, arithmetic finds the cell of a number without comparing it with each edge.
//
// The formula multiplies the number, subtracts, divides and rounds down. Each of these steps is monotone, however it is
// rounded, and so is their result. So if the result is right at both ends of every cell, it is right everywhere; this
// is checked when the statement is written. Several formulas are tried until one passes. Decimal edges have one if a
// power of ten makes them integers. If none passes, a formula whose result may be one too small is corrected by a
// comparison with one edge.

const (
	manySteps = 16
	maxSteps  = 1 << 12
)

// arithmetic returns the SQL expression of a formula, as a BIGINT.
func (w *writer) arithmetic(a arithmetic, x string) string {
	return w.integer(a.write(x, w.float))
}

// even reports whether formulas are worth trying: there are manySteps to maxSteps cells, one between any two
// neighbouring edges, and the distance from the first to the last edge is finite.
func even(s *domain.Steps[float64]) bool {
	n := len(s.At) - 1
	return n >= manySteps && n <= maxSteps && int(s.Cells) == n && !math.IsInf(s.At[n]-s.At[0], 0)
}

// evenly returns the first branches of a CASE: they compute the cell of the numbers x with first edge <= x < last edge.
// ok is false if there are few edges or if no formula is right.
func (w *writer) evenly(x string, s *domain.Steps[float64]) (cases string, ok bool) {
	if !even(s) {
		return "", false
	}
	n := len(s.At) - 1
	for _, a := range arithmetics(s.At) {
		if from, ok := a.startOf(s.At, w.failsBelow()); ok && a.atMost(0, s.At) {
			return w.between(x, from, s.At, w.arithmetic(a, x)), true
		}
	}
	below := arithmetic{times: float64(n) / (s.At[n] - s.At[0]) * (1 - 1.0/(1<<30)), by: 1}
	below.less = s.At[0] * below.times
	from, ok := below.startOf(s.At, w.failsBelow())
	if !ok || !below.atMost(1, s.At) {
		return "", false
	}
	next := w.edge(s.At, w.arithmetic(below, x)+" + 1")
	return w.between(x, from, s.At, fmt.Sprintf("%s + CASE WHEN %s >= %s THEN 1 ELSE 0 END", w.arithmetic(below, x), x,
		next)), true
}

// edge returns the SQL expression for the edge with an index, which is an SQL expression itself. Decimal edges are
// computed as quotients of integers, whose nearest double is the edge.
func (w *writer) edge(at []float64, place string) string {
	a, b, by, ok := decimalEdges(at)
	if !ok {
		return w.element(at, place)
	}
	return fmt.Sprintf("(%s * %s + %s) / %s", w.float(b), w.double(place), w.float(a), w.float(by))
}

// between returns the first branches of a CASE: the expression code for x >= from, and cell 0 from the first edge to
// from.
func (w *writer) between(x string, from float64, at []float64, code string) string {
	cases := fmt.Sprintf("CASE WHEN %s >= %s AND %s < %s THEN %s", x, w.float(from), x, w.float(at[len(at)-1]), code)
	if from > at[0] {
		cases += fmt.Sprintf(" WHEN %s >= %s AND %s < %s THEN 0", x, w.float(at[0]), x, w.float(from))
	}
	return cases
}

// maxEdgeDecimals limits the decimal places of edges for which a formula with a power of ten is tried.
const maxEdgeDecimals = 15

// arithmetic is the formula floor((x · times - less) / by) - minus. Steps that change nothing are left out.
type arithmetic struct{ times, less, by, minus float64 }

// evaluate evaluates the formula as a database does that computes with doubles. The conversions to float64 keep the
// compiler from fusing a product and a sum into one operation with one rounding.
func (a arithmetic) evaluate(x float64) float64 {
	x = float64(x * a.times)
	x = float64(x - a.less)
	return math.Floor(float64(x/a.by)) - a.minus
}

// startOf returns the smallest edge such that a database can evaluate the formula for all numbers from it on. If the
// engine may return an error for an underflow (failsBelow), numbers near 0 must be excluded. ok is false if that is
// impossible.
func (a arithmetic) startOf(at []float64, failsBelow bool) (from float64, ok bool) {
	switch {
	case !failsBelow || a.times >= 1 && (a.by <= 1 || a.less != 0):
		return at[0], true
	case at[0] == 0:
		return at[1], true
	}
	return at[0], at[0]*a.times/a.by > 1e-300
}

// atMost reports whether the formula's result is i or at most less below it, for all numbers in each cell i.
func (a arithmetic) atMost(less int, at []float64) bool {
	for i := range len(at) - 1 {
		low, high := a.evaluate(at[i]), a.evaluate(math.Nextafter(at[i+1], at[0]))
		if !(low >= float64(max(0, i-less)) && high <= float64(i)) {
			return false
		}
	}
	return true
}

// evaluateIntegers evaluates the formula as a database does that divides integers: x · times - less is rounded down
// before the division.
func (a arithmetic) evaluateIntegers(x float64) float64 {
	x = float64(x * a.times)
	x = math.Floor(float64(x - a.less))
	return math.Floor(x/a.by) - a.minus
}

// inside reports whether the result of evaluateIntegers alone shows whether a number is in a cell: it is the cell's
// index between the edges, negative before the first edge, and at least the number of cells from the last edge on.
func (a arithmetic) inside(at []float64) bool {
	n := len(at) - 1
	for i := range n {
		if a.evaluateIntegers(at[i]) != float64(i) || a.evaluateIntegers(math.Nextafter(at[i+1], at[0])) != float64(i) {
			return false
		}
	}
	return a.evaluateIntegers(math.Nextafter(at[0], math.Inf(-1))) < 0 && a.evaluateIntegers(at[n]) >= float64(n)
}

// write returns the formula as SQL; float writes a double's literal.
func (a arithmetic) write(x string, float func(float64) string) string {
	if a.times != 1 {
		x = "(" + x + " * " + float(a.times) + ")"
	}
	if a.less != 0 {
		x = "(" + x + " - " + float(a.less) + ")"
	}
	if a.by != 1 {
		x = x + " / " + float(a.by)
	}
	x = "floor(" + x + ")"
	if a.minus != 0 {
		x += " - " + float(a.minus)
	}
	return x
}

// smallArithmetic returns a formula for which inside is true and whose integers fit 16 bits. ok is false if there is
// none.
func smallArithmetic(at []float64) (a arithmetic, ok bool) {
	for _, a = range arithmetics(at) {
		if a.minus == 0 && a.by == math.Trunc(a.by) && a.by*float64(len(at)) <= 1<<15 && a.inside(at) {
			return a, true
		}
	}
	return a, false
}

// maxRefinedCells is the largest number of cells of equal width that refinedEdges may return.
const maxRefinedCells = 250

// refinedEdges returns evenly spaced edges that contain all given edges, and the index of each given edge among them:
// for 0, 10, 30 it returns 0, 10, 20, 30 and 0, 1, 3. ok is false if that takes more than maxRefinedCells cells.
func refinedEdges(at []float64) (fine []float64, places []int64, ok bool) {
	last := len(at) - 1
	if last < 2 {
		return nil, nil, false
	}
	step := at[1] - at[0]
	for i := range last {
		if d := at[i+1] - at[i]; d == math.Trunc(d) && step == math.Trunc(step) {
			step = commonDivisor(d, step)
		} else {
			step = min(step, d)
		}
	}
	if cells := (at[last] - at[0]) / step; !(cells <= maxRefinedCells) || cells != math.Trunc(cells) {
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

// commonDivisor returns the greatest common divisor of two integers.
func commonDivisor(a, b float64) float64 {
	for b != 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// bitsOf returns the width in bits, 8 or 16, of the smallest unsigned type that holds the cell indexes and two more
// values.
func bitsOf(cells float64) int {
	if cells+2 < 1<<8 {
		return 8
	}
	return 16
}

// arithmetics returns the formulas to try for some edges, the cheapest first.
func arithmetics(at []float64) []arithmetic {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	if !(step > 0) || math.IsInf(1/step, 0) || math.IsInf(at[0]/step, 0) {
		return nil
	}
	all := []arithmetic{{1 / step, at[0] / step, 1, 0}}
	for digits := range maxEdgeDecimals {
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

// decimalEdges returns integers with at[i] = (width·i + first) / by for each edge. ok is false if there are none.
func decimalEdges(at []float64) (first, width, by float64, ok bool) {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	for digits := range maxEdgeDecimals {
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

// scaled returns x·10^digits, where x stands for the decimal number of 16 digits that is nearest to it. If x·10^digits
// cannot be computed, it returns 1/2, which is not an integer.
func scaled(x float64, digits int) *big.Rat {
	r, ok := new(big.Rat).SetString(fmt.Sprintf("%.15ge%d", x, digits))
	if !ok { // the decimal of x has an exponent already, so the text has two
		return big.NewRat(1, 2)
	}
	return r
}

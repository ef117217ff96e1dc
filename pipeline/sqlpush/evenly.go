package sqlpush

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/queries/domain"
)

// Many edges at even distances: the cell of a number is found by arithmetic, and the number is compared with no edge.
//
// The number is multiplied, moved, divided and rounded down. Each of these steps rises with the number, however it is
// rounded, and so does their result. So if that is right at both ends of each cell, it is right everywhere. Some ways
// to do it are tried until one is right; decimal edges have one if they are integers after a multiplication by a power
// of ten. If none is right, a result that is right or one too small is compared with one edge.

const (
	manySteps = 16
	mostSteps = 1 << 12
)

// arithmetic returns the expression.
func (w *writer) arithmetic(a arithmetic, x string) string {
	return w.integer(a.write(x, w.float))
}

// even reports whether arithmetic is tried: the edges are many, one for each cell and the last, and their distance is
// finite.
func even(s *domain.Steps[float64]) bool {
	n := len(s.At) - 1
	return n >= manySteps && n <= mostSteps && int(s.Cells) == n && !math.IsInf(s.At[n]-s.At[0], 0)
}

// evenly returns the first cases of a CASE: those of the numbers from the first edge to before the last. ok is false if
// the edges are few or not even.
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

// edge returns an edge by its place, an expression. Decimal ones are quotients of integers, which are nearest to them.
func (w *writer) edge(at []float64, place string) string {
	a, b, by, ok := decimalEdges(at)
	if !ok {
		return w.element(at, place)
	}
	return fmt.Sprintf("(%s * %s + %s) / %s", w.float(b), w.double(place), w.float(a), w.float(by))
}

// between returns the first cases of a CASE. Numbers before where the arithmetic starts are in the first cell.
func (w *writer) between(x string, from float64, at []float64, code string) string {
	cases := fmt.Sprintf("CASE WHEN %s >= %s AND %s < %s THEN %s", x, w.float(from), x, w.float(at[len(at)-1]), code)
	if from > at[0] {
		cases += fmt.Sprintf(" WHEN %s >= %s AND %s < %s THEN 0", x, w.float(at[0]), x, w.float(from))
	}
	return cases
}

// mostEdgeDecimals is how many digits after the point edges are tried with.
const mostEdgeDecimals = 15

// arithmetic is floor((x · times - less) / by) - minus, in which steps that change nothing are left out.
type arithmetic struct{ times, less, by, minus float64 }

// of does what a database does. Conversions keep products and sums apart: each is rounded.
func (a arithmetic) of(x float64) float64 {
	x = float64(x * a.times)
	x = float64(x - a.less)
	return math.Floor(float64(x/a.by)) - a.minus
}

// startOf returns the edge from which on a database can be asked for the result: where a product or a quotient below
// the least double is an error, numbers near 0 must not get there. ok is false if they would.
func (a arithmetic) startOf(at []float64, failsBelow bool) (from float64, ok bool) {
	switch {
	case !failsBelow || a.times >= 1 && (a.by <= 1 || a.less != 0):
		return at[0], true
	case at[0] == 0:
		return at[1], true
	}
	return at[0], at[0]*a.times/a.by > 1e-300
}

// atMost reports whether the results between edges are the numbers of cells, or less than these by at most some.
func (a arithmetic) atMost(less int, at []float64) bool {
	for i := range len(at) - 1 {
		low, high := a.of(at[i]), a.of(math.Nextafter(at[i+1], at[0]))
		if !(low >= float64(max(0, i-less)) && high <= float64(i)) {
			return false
		}
	}
	return true
}

// whole does what a database does that rounds down before it divides whole numbers.
func (a arithmetic) whole(x float64) float64 {
	x = float64(x * a.times)
	x = math.Floor(float64(x - a.less))
	return math.Floor(x/a.by) - a.minus
}

// inside reports whether the results of whole are the numbers of cells between the edges, negative before them, and
// after them at least the number of all cells. So a number is in a cell if its result is the number of one, and is
// compared with no edge.
func (a arithmetic) inside(at []float64) bool {
	n := len(at) - 1
	for i := range n {
		if a.whole(at[i]) != float64(i) || a.whole(math.Nextafter(at[i+1], at[0])) != float64(i) {
			return false
		}
	}
	return a.whole(math.Nextafter(at[0], math.Inf(-1))) < 0 && a.whole(at[n]) >= float64(n)
}

// write returns the expression, in which float writes a number.
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

// smallArithmetic returns an arithmetic whose results are found without a comparison: that of inside, whose numbers
// before the division by whole numbers are small.
func smallArithmetic(at []float64) (a arithmetic, ok bool) {
	for _, a = range arithmetics(at) {
		if a.minus == 0 && a.by == math.Trunc(a.by) && a.by*float64(len(at)) <= 1<<15 && a.inside(at) {
			return a, true
		}
	}
	return a, false
}

// mostRefinedCells is how many even cells edges are refined to, at most.
const mostRefinedCells = 250

// refinedEdges returns even edges, few of them, among which all of some edges are, and their places there. ok is false
// if there are none.
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
	if cells := (at[last] - at[0]) / step; !(cells <= mostRefinedCells) || cells != math.Trunc(cells) {
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

// commonDivisor is the greatest common divisor of two whole numbers.
func commonDivisor(a, b float64) float64 {
	for b != 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// bitsOf is how many bits hold a number of cells, and of two more.
func bitsOf(cells float64) int {
	if cells+2 < 1<<8 {
		return 8
	}
	return 16
}

// arithmetics are those to try, the cheapest first.
func arithmetics(at []float64) []arithmetic {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	if !(step > 0) || math.IsInf(1/step, 0) || math.IsInf(at[0]/step, 0) {
		return nil
	}
	all := []arithmetic{{1 / step, at[0] / step, 1, 0}}
	for digits := range mostEdgeDecimals {
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

// decimalEdges says that each edge is (width · its place + first) / by, of whole numbers.
func decimalEdges(at []float64) (first, width, by float64, ok bool) {
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	for digits := range mostEdgeDecimals {
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

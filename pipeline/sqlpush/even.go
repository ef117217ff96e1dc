package sqlpush

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/evenly"
	"github.com/dprelease/dprelease/queries/domain"
)

// Many edges at even distances
//
// The cell of a number is found by arithmetic that was found right for all numbers (package evenly), and the number is compared with no edge. If there is none, a
// result that is right or one too small is compared with one edge.

const (
	manySteps = 16
	mostSteps = 1 << 12
)

// arithmetic returns the expression.
func (w *writer) arithmetic(a evenly.Arithmetic, x string) string {
	return w.Integer(a.Write(x, w.Float))
}

// even says that arithmetic is tried: the edges are many, one for each cell and the last, and their distance is finite.
func even(s *domain.Steps[float64]) bool {
	n := len(s.At) - 1
	return n >= manySteps && n <= mostSteps && int(s.Cells) == n && !math.IsInf(s.At[n]-s.At[0], 0)
}

// evenly returns the first cases of a CASE: those of the numbers from the first edge to before the last. ok is false if the edges are few or not even.
func (w *writer) evenly(x string, s *domain.Steps[float64]) (cases string, ok bool) {
	if !even(s) {
		return "", false
	}
	n := len(s.At) - 1
	for _, a := range evenly.Ways(s.At) {
		if from, ok := a.StartOf(s.At, w.failsBelow()); ok && a.AtMost(0, s.At) {
			return w.between(x, from, s.At, w.arithmetic(a, x)), true
		}
	}
	below := evenly.Arithmetic{Times: float64(n) / (s.At[n] - s.At[0]) * (1 - 1.0/(1<<30)), By: 1}
	below.Less = s.At[0] * below.Times
	from, ok := below.StartOf(s.At, w.failsBelow())
	if !ok || !below.AtMost(1, s.At) {
		return "", false
	}
	next, ok := w.edge(s.At, w.arithmetic(below, x)+" + 1")
	if !ok {
		return "", false
	}
	return w.between(x, from, s.At, fmt.Sprintf("%s + CASE WHEN %s >= %s THEN 1 ELSE 0 END", w.arithmetic(below, x), x, next)), true
}

// edge returns an edge by its place, an expression. Decimal ones are quotients of integers, which are nearest to them.
func (w *writer) edge(at []float64, place string) (x string, ok bool) {
	a, b, by, ok := evenly.Decimal(at)
	if !ok {
		return w.Element(at, place)
	}
	return fmt.Sprintf("(%s * %s + %s) / %s", w.Float(b), w.Double(place), w.Float(a), w.Float(by)), true
}

// between returns the first cases of a CASE. Numbers before where the arithmetic starts are in the first cell.
func (w *writer) between(x string, from float64, at []float64, code string) string {
	cases := fmt.Sprintf("CASE WHEN %s >= %s AND %s < %s THEN %s", x, w.Float(from), x, w.Float(at[len(at)-1]), code)
	if from > at[0] {
		cases += fmt.Sprintf(" WHEN %s >= %s AND %s < %s THEN 0", x, w.Float(at[0]), x, w.Float(from))
	}
	return cases
}

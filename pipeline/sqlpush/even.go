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
	if a.Times != 1 {
		x = "(" + x + " * " + w.Float(a.Times) + ")"
	}
	if a.Less != 0 {
		x = "(" + x + " - " + w.Float(a.Less) + ")"
	}
	if a.By != 1 {
		x = x + " / " + w.Float(a.By)
	}
	x = "floor(" + x + ")"
	if a.Minus != 0 {
		x += " - " + w.Float(a.Minus)
	}
	return w.Integer(x)
}

// evenly returns the first cases of a CASE: those of the numbers from the first edge to before the last. ok is false if the edges are few or not even.
func (w *writer) evenly(x string, s *domain.Steps[float64]) (cases string, ok bool) {
	n := len(s.At) - 1
	if n < manySteps || n > mostSteps || int(s.Cells) != n || math.IsInf(s.At[n]-s.At[0], 0) {
		return "", false
	}
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
	n := len(at) - 1
	step := (at[n] - at[0]) / float64(n)
	for digits := range evenly.MostDecimals {
		first, width := evenly.Scaled(at[0], digits), evenly.Scaled(step, digits)
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

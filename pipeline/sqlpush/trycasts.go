package sqlpush

import (
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Casts that return NULL on failure find cells and values faster than comparisons. DuckDB must treat NaN as above all
// numbers, so comparing doubles costs it more than computing a cell or a sum; such a cast costs almost nothing. So a
// number is first mapped, by arithmetic that keeps its order, to an integer, and the integer is compared. The next
// branch of the CASE handles the numbers for which the cast fails, and NaN; most tables have few. No filter is needed
// for NaN.

// canSkipCheck reports whether rows with NaN in a column are dropped when the row's code or value is computed, so that
// no filter is needed (column.Unchecked).
func (in *input) canSkipCheck(o *aggregation.Aggregation, name string) bool {
	if _, ok := in.try("x", 64); !ok || len(o.Unit) > 0 || len(o.Keys) > 0 || o.Bins != nil || o.Steps != nil {
		return false
	}
	for i := range o.Filters {
		if o.Filters[i].Column == name {
			return false
		}
	}
	for i := range o.Axes {
		if r := &o.Axes[i]; r.FloatSteps == nil && slices.Contains(r.Columns(), name) {
			return false
		}
	}
	v := o.Value
	return v == nil || !v.Clip && (o.AllRows || len(v.Value.AllColumns()) == 1 ||
		!slices.Contains(v.Value.AllColumns(), name))
}

// uncheckedSteps returns the code among edges of a double that may be NaN or NULL.
func (w *writer) uncheckedSteps(x string, r *domain.Coding) string {
	s := r.FloatSteps
	below, beyond := w.outside(x, s)
	beyond = "CASE WHEN " + w.isNumber(x) + " THEN " + beyond + " ELSE " + code(r.Null) + " END"
	below = fmt.Sprintf(" WHEN %s < %s THEN %s ELSE %s END", x, w.float(s.At[0]), below, beyond)
	if place, cells, ok := w.tryEvenly(x, s.At); ok && int(s.Cells) == len(s.At)-1 {
		place = w.stage(place)
		rest, _ := w.try("CASE"+below, bitsOf(float64(s.Cells))) // rest gets the small integer type that place has
		code := place
		if _, places, refined := refinedEdges(s.At); refined && cells > int(s.Cells) {
			code, _ = w.try(bisection(place, &domain.Steps[int64]{At: places, Cells: s.Cells}, integer, "NULL", "NULL"),
				bitsOf(float64(s.Cells)))
		}
		c := fmt.Sprintf("CASE WHEN %s < %d THEN %s ELSE %s END", place, cells, code, rest)
		if !w.oneAxis { // radix multiplies the code, which would overflow a small type
			c = w.integer(c)
		}
		return c
	}
	if among, ok := w.evenly(x, s); ok {
		return among + below
	}
	below, _ = w.outside(x, s)
	return bisection(x, s, w.float, below, beyond) // DuckDB sorts NaN above all numbers, so NaN gets the code beyond
}

// tryEvenly returns the index of a number's cell among evenly spaced edges as a small integer, and the number of cells.
// If the edges are not even, the cells are those of refinedEdges. For numbers outside of the edges, the index is at
// least the number of cells, or NULL.
func (w *writer) tryEvenly(x string, at []float64) (place string, cells int, ok bool) {
	if n := len(at) - 1; n < 2 || n > maxSteps || math.IsInf(at[n]-at[0], 0) {
		return "", 0, false
	}
	a, ok := smallArithmetic(at)
	if !ok {
		if at, _, ok = refinedEdges(at); ok {
			a, ok = smallArithmetic(at)
		}
	}
	if !ok {
		return "", 0, false
	}
	cells = len(at) - 1
	by, most, fits := a.by, bitsOf(float64(cells)*a.by), bitsOf(float64(cells))
	a.by = 1
	if place, ok = w.try(a.write(x, w.float), most); by == 1 || !ok {
		return place, cells, ok
	}
	place, ok = w.try(w.divide(place, int64(by)), fits)
	return place, cells, ok
}

// tryQuantize does the same as quantize, by a cast that may fail. Rounding keeps the order, so the number can be
// clamped after it is rounded. If the cast fails, the number is NaN or far outside of the clamp.
func (c *contents) tryQuantize(q *quantize.Quantizer, x string) (v string, ok bool) {
	product := x
	if q.Exponent != 0 {
		product = x + " * " + c.float(math.Ldexp(1, -q.Exponent))
	}
	e, ok := c.try(product, 64)
	if !ok {
		return "", false
	}
	e = c.stage(e)
	low, high := q.Min, q.Max
	return fmt.Sprintf("CASE WHEN %s > %d THEN %d WHEN %s >= %s THEN %s WHEN %s < %s THEN %s WHEN %s <= %s THEN %s WHEN "+
		"%s THEN %d END",
		e, high, high, e, integer(low), e, e, integer(low), integer(low), x, c.float(q.Real(low)), integer(low), c.isNumber(x), high), true
}

// onlyPlace returns a column that is a row's cell plus 1, if the query has one dimension of few texts. The statement
// groups by this column and subtracts the 1 once for each cell, not for each row.
func (c *contents) onlyPlace() (place string, ok bool) {
	if !c.oneAxis || len(c.Unit) > 0 || len(c.Keys) > 0 || c.Bins != nil {
		return "", false
	}
	r := &c.Axes[0]
	if r.Texts == nil || r.Null != domain.Dropped || r.Other != domain.Dropped {
		return "", false
	}
	column := c.columns[r.Column]
	pairs, _ := c.listed(r, column.Binary)
	return c.place(r, c.folded(r, &column), pairs)
}

// rowCount returns the expression for the number of rows that count in a query. It counts rows with a value, or all
// rows if rows without one were dropped. It is noRows if no count is needed: in DuckDB a sum takes a fifth longer with
// a count beside it.
func (c *contents) rowCount() string {
	if c.Value != nil && !c.CountRows && len(c.Keys) == 0 && len(c.Unit) == 0 && c.Steps == nil && c.Bins == nil {
		return noRows
	}
	if c.Value != nil && !c.AllRows && (c.prefix != "" || c.columns[c.Value.Value.Columns[0]].Unchecked) {
		return "COUNT(" + c.values[0] + ")"
	}
	return countRows
}

// place returns the code of a text plus 1, or NULL for texts that are not listed. It finds the text in a list, which
// engines do once per entry of a dictionary. ok is false if the dialect has no such function, or if texts share a code.
func (w *writer) place(r *domain.Coding, x string, pairs []pair) (place string, ok bool) {
	if r.Texts == nil || len(pairs) == 0 || len(pairs) > fewCases {
		return "", false
	}
	list := make([]string, len(pairs))
	for _, p := range pairs {
		if int(p.Code) >= len(list) || p.Code < 0 || list[p.Code] != "" {
			return "", false
		}
		list[p.Code] = p.Value
	}
	if place, ok = w.find(x, list); !ok {
		return "", false
	}
	return w.stage(place), true
}

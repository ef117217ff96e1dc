package kinds

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// Vectors that several queries of a release measure
//
// A mean needs the number of rows of each group. Other queries of the release may count the same rows: another mean of
// the same column, or a histogram with the same or other dimensions. Their noisy counts can be combined, with less
// noise.
//
// Whether two vectors count the same rows follows from the specs alone: a row that passes the job's filters counts,
// unless a condition drops it. The conditions are known. The values must be numbers, and a dimension without null cell
// and other cell drops the rows outside of its cells. Two vectors with the same conditions are sums over the same rows.
// Queries with bounds on the rows of a unit each drop different random rows, so they have no such vectors.

// Vector is a component of a query that other queries may measure, too. For each cell it has the number of its rows, or
// the sum of their values.
type Vector struct {
	// Component is the index of the component in the query.
	Component int
	// Sums identifies the values that are added up. It is "" if rows are counted.
	Sums string
	// Axes are the axes of the cells. The last axis changes fastest.
	Axes []VectorAxis
	// Conditions are the conditions that a row must fulfil to count, besides the job's filters. They are sorted, and each
	// occurs once.
	Conditions []string
}

// VectorAxis is one axis of a vector's cells.
type VectorAxis struct {
	// Cells identifies the cells: two axes with equal Cells have the same cells.
	Cells string
	Size  int
	// Null is the cell of rows whose value is not a number, and Number the condition that all other rows fulfil. If the
	// axis has no such cell, Number is "".
	Null   int
	Number string
}

// NumberCondition returns the condition that the value of a column is a number.
func NumberCondition(column string) string { return "number " + column }

// Vectors returns the vectors of a query that other queries may measure, too, or nil. Their noise is independent from
// cell to cell. oneRow is set if each privacy unit has one row, so that bounds on a unit's rows drop none.
func Vectors(q query.Query, oneRow bool) ([]Vector, error) {
	if !oneRow {
		return nil, nil
	}
	switch q := q.(type) {
	case *Histogram:
		if q.Kernel == nil {
			v, err := q.vector(0, nil)
			return []Vector{v}, err
		}
	case *Clamped: // the sums depend on the chosen clamp, the number of rows does not
		if q.Kind.Extra().Rows {
			v, err := q.rowCounts()
			return []Vector{v}, err
		}
	case *Sums: // weighted means do not count rows
		if q.Kind.Extra().Rows {
			sums, err := q.rowSums()
			rows, more := q.rowCounts()
			return []Vector{sums, rows}, errors.Join(err, more)
		}
	}
	return nil, nil
}

// rowCounts describes the vector of row counts.
func (q *Sums) rowCounts() (Vector, error) {
	conditions, err := q.numbers()
	if err != nil {
		return Vector{}, err
	}
	return q.vector(q.Kind.Extra().count(), conditions)
}

// rowSums describes the vector of sums of values.
func (q *Sums) rowSums() (Vector, error) {
	v, err := q.rowCounts()
	if err != nil {
		return v, err
	}
	z := q.Quantizer
	v.Component = 0
	v.Sums, err = textOf([]any{z.Value.Columns, z.Value.Length, z.Exponent, z.Min, z.Max, z.Centre, z.Clip})
	if q.Spec.Value.IsVector() {
		v.Axes = append(v.Axes, VectorAxis{Cells: componentKey, Size: z.Dims})
	}
	return v, err
}

// numbers returns the conditions under which a row counts: its value, or each component of it, is a number.
func (q *Sums) numbers() (all []string, err error) {
	v := q.Quantizer.Value
	if v.List {
		text, err := textOf([]any{v.Columns, v.Length})
		return []string{"list " + text}, err
	}
	for _, c := range v.Columns {
		all = append(all, NumberCondition(c))
	}
	return all, nil
}

// vector describes a component of row counts over the query's axes. conditions are added to the conditions of the axes.
func (q *Base) vector(component int, conditions []string) (Vector, error) {
	v := Vector{Component: component, Conditions: conditions}
	for i := range q.Axes {
		a := &q.Axes[i]
		d := a.Dimension
		d.As = ""
		cells, err := textOf(d)
		if err != nil {
			return v, err
		}
		axis := VectorAxis{Cells: cells, Size: a.Size}
		numbers := false
		if len(d.Edges) > 0 {
			_, numbers = domain.Number(d.Edges[0])
		}
		switch {
		case d.Null == domain.OwnCell && d.Other == domain.OwnCell && numbers:
			axis.Null, axis.Number = int(a.Extra.Null), NumberCondition(d.Column)
		case d.Null == domain.OwnCell && d.Other == domain.OwnCell: // the axis drops no row, so it adds no condition
		case d.Other == domain.OwnCell && numbers:
			v.Conditions = append(v.Conditions, NumberCondition(d.Column))
		default:
			v.Conditions = append(v.Conditions, "in "+axis.Cells)
		}
		v.Axes = append(v.Axes, axis)
	}
	slices.Sort(v.Conditions)
	v.Conditions = slices.Compact(v.Conditions)
	return v, nil
}

// textOf returns public facts as text. Equal facts have equal texts.
func textOf(facts any) (string, error) {
	text, err := json.Marshal(facts)
	return string(text), err
}

// Better is a less noisy version of a component, combined from all queries of the release that measure it.
type Better struct {
	Component int
	// Deviation is the standard deviation of a cell's noise.
	Deviation float64
	// Values are the cells, or nil before noise is added.
	Values []float64
}

// Combiner is a query that can use less noisy versions of its vectors.
type Combiner interface {
	query.Query
	// With returns the query that uses these vectors instead of its own.
	With([]Better) query.Query
}

// With returns the query that uses these vectors instead of its own.
func (q *Sums) With(better []Better) query.Query {
	out := *q
	out.better = better
	return &out
}

// With returns the query that uses these vectors instead of its own once the clamp is chosen.
func (q *Clamped) With(better []Better) query.Query {
	out := *q
	sums := *q.Sums
	sums.better = better
	out.Sums = &sums
	return &out
}

// noisyVector is the vector of a component from which the answer is computed (fill), and the query's own noisy vector.
type noisyVector struct {
	fill      query.Series
	deviation float64 // the standard deviation of the noise in fill
	own       mechanism.Noisy
}

func (v noisyVector) ownVector() noisyVector {
	return noisyVector{v.own.Fill, v.own.Mechanism().Deviation(), v.own}
}

// vectors returns, for each component, the vector from which the answer is computed. used[i] is the noisy vector of
// component i or its estimate. If used[i] is an estimate from denoising steps, a less noisy version does not replace
// it.
func (q *Sums) vectors(noisy, used []mechanism.Noisy) []noisyVector {
	out := make([]noisyVector, len(used))
	for i := range used {
		out[i] = noisyVector{own: used[i]}.ownVector()
	}
	for _, b := range q.better {
		if i := b.Component; b.Values != nil && len(used[i].Steps()) == len(noisy[i].Steps()) {
			out[i].fill, out[i].deviation = query.HeldSeries(b.Values), b.Deviation
		}
	}
	return out
}

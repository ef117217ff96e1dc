// Package tally counts the rows that a query cannot use, for the operator.
//
// A tally counts how many rows have no value in a column, a text that is not valid for the column's type, a value
// outside of the listed cells, or a value that the clamp changes. Its numbers are exact and private: only the operator,
// who may read the input, sees them. No answer depends on them. A tally reads the columns a second time, with coders
// that distinguish a null from a value outside of the cells, so that accumulators need not do so. An engine may give it
// only some of the batches.
package tally

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Role is what a query uses a column for.
type Role string

// The roles of columns.
const (
	RoleKey    Role = "key"    // a dimension
	RoleValue  Role = "value"  // the value that is added up
	RoleUnit   Role = "unit"   // the privacy unit
	RoleFilter Role = "filter" // a condition of input.where
)

// Input holds row counts for one input of a query: a dimension, the value, the privacy unit or a filter. A row is in at
// most one of Null, Unparsed and Outside of an input.
type Input struct {
	Role    Role
	Columns []string
	// Field is the path of the input: in the query, or, for units and filters, in the job.
	Field string
	// Form is the key of the job that defines a dimension's cells: values, edges, part, grid, nearest or keys; ""
	// for other roles.
	Form string
	// Rows is the number of rows that pass the filters. For a filter, it is the number of all rows.
	Rows int64
	// Null rows have no value: null, NaN, or coordinates that are not on the earth.
	Null int64
	// Unparsed rows have a text that is not valid for the type that the query needs.
	Unparsed int64
	// Outside rows have a value that is in no cell or that the filter rejects, or a vector of the wrong length.
	Outside int64
	// Clamped rows have a value that the clamp moves to its minimum or maximum, or a vector that is shortened.
	Clamped int64
	// NullCounts is set if Null and Unparsed rows still count, and OutsideCounts if Outside rows still count: in a null
	// cell or other cell, or as the centre of the clamp.
	NullCounts, OutsideCounts bool
}

// Inside returns the number of rows whose value is in a listed cell or, for a filter, accepted.
func (t *Input) Inside() int64 { return t.Rows - t.Null - t.Unparsed - t.Outside }

// Used returns the number of rows that this input does not drop: the rows inside, and other rows that still count.
func (t *Input) Used() int64 {
	n := t.Inside()
	if t.NullCounts {
		n += t.Null + t.Unparsed
	}
	if t.OutsideCounts {
		n += t.Outside
	}
	return n
}

// Tally counts the rows of one query, or of the filters. It is not safe for use by several goroutines.
type Tally struct {
	inputs  []tallied
	rows    int64 // the result of Rows
	counted int64 // the result of Counted
	// For each row of the last batch:
	classes []uint8 // the class in the current input
	lost    []bool  // true if at least one input drops the row
}

// tallied is an input, and a classer that finds the class of each row.
type tallied struct {
	Input
	at      []int // the indexes of the input's columns in a batch
	classer classer
}

// addInput appends an input and the classer that finds the classes of its rows.
func (t *Tally) addInput(l domain.BatchColumns, in Input, c classer) {
	x := tallied{Input: in, classer: c}
	for _, column := range in.Columns {
		at, _, _ := l.Find(column, "")
		x.at = append(x.at, at)
	}
	t.inputs = append(t.inputs, x)
}

// classer finds the class of each row of a batch.
type classer interface {
	classes(b *table.Batch, dst []uint8) error
}

// The classes of rows; the fields of Input explain them. A classer does not distinguish Unparsed from Null.
const (
	classInside uint8 = iota
	classNull
	classOutside
	classClamped
)

// Add adds the rows of a batch for which b.Keep is true, or all rows if Keep is nil.
func (t *Tally) Add(b *table.Batch) error {
	t.classes, t.lost = columnar.Resize(t.classes, b.Rows), columnar.Resize(t.lost, b.Rows)
	for i := range t.lost {
		t.lost[i] = b.Keep != nil && !b.Keep[i]
		if !t.lost[i] {
			t.rows++
		}
	}
	for i := range t.inputs {
		if err := t.inputs[i].classer.classes(b, t.classes); err != nil {
			return err
		}
		t.inputs[i].countClasses(b, t.classes, t.lost)
	}
	for _, lost := range t.lost {
		if !lost {
			t.counted++
		}
	}
	return nil
}

// countClasses counts rows by their classes, and sets lost for rows that this input drops.
func (x *tallied) countClasses(b *table.Batch, classes []uint8, lost []bool) {
	for row, class := range classes {
		if b.Keep != nil && !b.Keep[row] {
			continue
		}
		x.Rows++
		switch class {
		case classNull:
			if x.hasUnparsed(b, row) {
				x.Unparsed++
			} else {
				x.Null++
			}
			lost[row] = lost[row] || !x.NullCounts
		case classOutside:
			x.Outside++
			lost[row] = lost[row] || !x.OutsideCounts
		case classClamped:
			x.Clamped++
		}
	}
}

// hasUnparsed reports whether a row that has no value for the query holds a text: the text is not valid for the
// column's type or use.
func (x *tallied) hasUnparsed(b *table.Batch, row int) bool {
	for _, at := range x.at {
		c := &b.Columns[at]
		if c.Unparsed != nil && c.Unparsed[row] || c.Type.Kind == table.String && !c.IsNull(row) {
			return true
		}
	}
	return false
}

// Merge adds the counts of another tally of the same query.
func (t *Tally) Merge(o *Tally) {
	t.rows += o.rows
	t.counted += o.counted
	for i := range t.inputs {
		a, b := &t.inputs[i].Input, &o.inputs[i].Input
		a.Rows += b.Rows
		a.Null += b.Null
		a.Unparsed += b.Unparsed
		a.Outside += b.Outside
		a.Clamped += b.Clamped
	}
}

// Rows returns the number of rows that passed the filters.
func (t *Tally) Rows() int64 { return t.rows }

// Counted returns how many of the rows that passed the filters have a cell, a value and a unit. This includes rows that
// the bounds on units drop.
func (t *Tally) Counted() int64 { return t.counted }

// Inputs returns the counts of each input, in the order of dimensions, unit and value.
func (t *Tally) Inputs() []Input {
	out := make([]Input, len(t.inputs))
	for i := range t.inputs {
		out[i] = t.inputs[i].Input
	}
	return out
}

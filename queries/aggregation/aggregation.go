// Package aggregation describes the totals that are computed from a table, as plain data.
//
// A query has three parts: an [Aggregation], the argument for its sensitivity, and functions that make answers of
// totals and noise. An engine needs only the aggregation: from it alone, an engine decides how to add up rows, or that
// it cannot. An aggregation can be printed, compared and hashed.
package aggregation

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Aggregation describes totals of a table: which rows count, in which cells, which numbers are added, and the bounds of
// a privacy unit.
type Aggregation struct {
	// By is the path of the query's dimensions in the job, such as "queries[2].by". Only messages use it.
	By string `aggregation:"message"`
	// Columns are the columns that the aggregation reads, each once, besides the columns of Filters. Batches that are
	// added to an accumulator hold them in this order.
	Columns []table.Field
	// Filters are the conditions that a row must fulfil.
	Filters []domain.Condition
	// Axes[i] maps a row to its cell in dimension i, from 0 to Sizes[i] - 1. A row without a cell in some dimension is
	// dropped.
	Axes  []domain.Coding
	Sizes []int
	// Tables[t] are the indices of the axes by which table t counts; the last one changes fastest. Only crosstabs have
	// more than one table.
	Tables [][]int
	// CellPerAxis is set if a row's content holds one cell number for each axis, instead of one for all axes together. The
	// digests that decide which rows of a unit are kept cover the content.
	CellPerAxis bool
	// Dense is set if the totals of all cells are needed, including cells without a row, even if there are very many.
	Dense bool
	// Unit is the names of the privacy unit's columns; if it is empty, each row is a unit and nothing is bounded.
	// FloatUnit allows columns of floating-point numbers.
	Unit      []string
	FloatUnit bool
	Limits    bounding.Limits
	// SampleBy names the columns whose values choose, with the unit, which Limits.Rows rows of a unit are kept, the same
	// for all queries with the same filters; nil if cells and values choose them. See [bounding.Sample].
	SampleBy []string
	// Keys are the parts of a discovered key, one for each dimension; empty if no keys are discovered. A row that lacks a
	// part is dropped. The first axes are the listed dimensions of the keys, and Tables has one table, by the other axes.
	// The digest of a row's cell covers the cell and the SHA-256 of the key.
	Keys []KeyPart
	// MinUnits is the pre-threshold: keys with fewer units are dropped before noise is added. 0 means 1.
	MinUnits int64
	// Weights[d-1] is the amount that a unit with d keys adds to each of its keys, in multiples of
	// 2^-calibrate.WeightBits; nil if the amount is always 1. It is nil unless Keys and Unit are set.
	Weights []int64
	// Value turns a row's value into the integer that is added up; nil if rows are only counted. AllRows is set if a
	// row without a value counts as if its value were the centre of the clamp.
	Value   *quantize.Quantizer
	AllRows bool
	// Weighted is set if Value is a multiplicity: a row with Value 3 counts as three rows, and the totals are row counts.
	Weighted bool
	// Second is a second number of each row, which is also added up; nil if there is none.
	Second *Second
	// CountRows is set if the number of rows of each cell is needed in addition to the sums.
	CountRows bool
	// Units is set if the number of units with a row is needed too. It becomes table 1.
	Units bool
	// Steps are possible bounds on the rows of a unit, ascending, among which one is chosen after the noise; nil if the
	// bound is fixed. The last step is the bound in Limits. A kept row has a rank, its position by digest among the rows
	// of its unit, from 1. It counts in the table of the first step that is at least its rank: with Steps {1, 2, 5}, rank
	// 4 counts in table 2. One more table counts units by the step of their last row.
	Steps []int64
	// Bins are the smallest quantized values of all bins except the first, ascending; nil if values are not counted by
	// bins. A row counts in the table of its value's bin, or in the table after the last bin if it has no value.
	Bins []int64
}

// Second describes a second number of each row, which a variance needs: x² - Less, where x is the row's quantized value
// minus the centre. The number is in multiples of 2^Exponent. x has at most 30 binary digits, so x² has at most 60.
type Second struct {
	Less     int64
	Exponent int
}

// Of returns the second number of a row whose quantized value minus the centre is x.
func (s Second) Of(x int64) int64 { return x*x - s.Less }

// KeyPart is the part of a discovered key that one dimension contributes.
type KeyPart struct {
	// Axis is the index of the axis whose code is in the key, if the job lists the dimension's labels; -1 if the labels
	// are discovered.
	Axis int
	// Column is the column of a discovered dimension, and Type its type. Fold changes its texts before they become keys.
	Column string
	Type   table.Type
	Fold   domain.Fold
	// Prefix and Suffix are the bytes of the key before and after the value. A text is written as its own bytes, with 255
	// after each byte 0. Any other value is written in eight bytes, big-endian, with the sign bit flipped; the code of a
	// listed label in four.
	Prefix, Suffix []byte
}

// ColumnNames returns the names of Columns.
func (a *Aggregation) ColumnNames() []string {
	names := make([]string, len(a.Columns))
	for i, f := range a.Columns {
		names[i] = f.Name
	}
	return names
}

// KeyAxes returns how many axes are listed dimensions of keys. These axes are the first ones.
func (a *Aggregation) KeyAxes() (n int) {
	for i := range a.Keys {
		if a.Keys[i].Axis >= 0 {
			n++
		}
	}
	return n
}

// Cells returns the number of cells of table t.
func (a *Aggregation) Cells(t int) int {
	n := 1
	for _, axis := range a.Tables[t] {
		n *= a.Sizes[axis]
	}
	return n
}

// StoreKey returns a text that is equal for aggregations that may store their rows together: with the same unit and
// filters and, if SampleBy is set, the same choice of rows.
func (a *Aggregation) StoreKey() string {
	rows := Aggregation{Filters: a.Filters, Unit: a.Unit, SampleBy: a.SampleBy}
	if a.SampleBy != nil {
		rows.Limits.Rows = a.Limits.Rows
	}
	return rows.String()
}

// Same reports whether two aggregations add up the same numbers.
func (a *Aggregation) Same(b *Aggregation) bool { return a == b || a.String() == b.String() }

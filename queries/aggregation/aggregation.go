// Package aggregation describes the totals that are computed from a table, as plain data.
//
// A query has three parts: an [Aggregation], the argument for its sensitivity, and functions that make answers of
// totals and noise. An engine executes the aggregation and knows no kind of query: from this data alone it decides how
// to add up rows, or that it cannot. An aggregation can be printed, compared and hashed.
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
	// By is the path of the dimensions in the query, for messages.
	By string `aggregation:"message"`
	// Columns are the columns that the aggregation reads, each once, besides the columns of Filters. The batches of an
	// accumulator hold them in this order.
	Columns []table.Field
	// Filters are the conditions that a row must fulfil.
	Filters []domain.Condition
	// Axes[i] gives a row its cell of dimension i, which has Sizes[i] cells. A row without a cell in some dimension is
	// left out.
	Axes  []domain.Coding
	Sizes []int
	// Tables are the tables to count, each by some axes, the last of which changes fastest. Only crosstabs have more
	// than one.
	Tables [][]int
	// CellPerAxis is set if a row's content holds its cell of each axis instead of the one cell number of all axes
	// together. Digests are made of the content.
	CellPerAxis bool
	// Dense is set if the totals of all cells are needed, even if very many cells have no row.
	Dense bool
	// Unit is the privacy unit's columns; if there are none, each row is a unit and nothing is bounded. FloatUnit
	// allows columns of floating-point numbers.
	Unit      []string
	FloatUnit bool
	Limits    bounding.Limits
	// Keys are the parts of the keys of rows if keys are discovered; otherwise empty. A row that lacks a part is
	// dropped. The first axes are the listed dimensions of the keys, and Tables has one table, by the other axes. The
	// digest of a row's cell covers the cell and the SHA-256 of the key.
	Keys []KeyPart
	// MinUnits is the pre-threshold: the query that selects the keys drops keys with fewer units; 0 stands for 1.
	MinUnits int64
	// Weights[d-1] is what a unit with d keys adds to each of them, in multiples of 2^-calibrate.WeightBits; nil if it
	// adds 1. Only an aggregation with Keys and a Unit has them.
	Weights []int64
	// Value is the number that is added up, nil if each row counts once. AllRows is set if rows without a value count
	// as rows with the centre as their value.
	Value   *quantize.Quantizer
	AllRows bool
	// Weighted is set if Value is the number of times that a row counts: the totals are then the numbers of counted
	// rows.
	Weighted bool
	// Second is a second number of each row that is also added up, nil if there is none.
	Second *Second
	// CountRows is set if the number of rows of each cell is needed in addition to the sums.
	CountRows bool
	// Units is set if the number of units that have a row is needed too, as table 1.
	Units bool
	// Steps are the bounds on the rows of a unit among which one is chosen later, ascending; the last is the bound in
	// Limits. Steps is nil if the bound is fixed. A kept row counts in the table of the first step that is at least its
	// rank, its position by digest among its unit's rows. After these tables comes one table of units, by the step of
	// their last row.
	Steps []int64
	// Bins are the smallest quantized values of all bins except the first, ascending; nil if values are not added up by
	// bins. A row counts in the table of its bin, and a row without a value in the table after the last bin.
	Bins []int64
}

// Second is a second number of a row: x² - Less, with x the quantized value less the centre and Less a constant. Its
// quantum is 2^Exponent. Values have at most 30 digits, so that it has at most 60.
type Second struct {
	Less     int64
	Exponent int
}

// Of returns the second number of a value from which the centre is subtracted.
func (s Second) Of(x int64) int64 { return x*x - s.Less }

// KeyPart is the part of a discovered key that one dimension contributes.
type KeyPart struct {
	// Axis is the index of a listed dimension among the axes, whose code is in the key; -1 if the keys of the dimension
	// are discovered.
	Axis int
	// Column is the column of a discovered dimension, of type Type. Its texts are folded by Fold first.
	Column string
	Type   table.Type
	Fold   domain.Fold
	// Prefix and Suffix are the bytes before and after the value. A text's value is its own bytes, with 255 after each
	// 0. Other values are eight bytes, big-endian, with the sign bit flipped. A code has four bytes.
	Prefix, Suffix []byte
}

// ColumnNames returns the names of the columns of batches, in order.
func (a *Aggregation) ColumnNames() []string {
	names := make([]string, len(a.Columns))
	for i, f := range a.Columns {
		names[i] = f.Name
	}
	return names
}

// KeyAxes returns how many axes are parts of keys; they are the first ones.
func (a *Aggregation) KeyAxes() (n int) {
	for i := range a.Keys {
		if a.Keys[i].Axis >= 0 {
			n++
		}
	}
	return n
}

// Cells returns the number of cells of a table.
func (a *Aggregation) Cells(t int) int {
	n := 1
	for _, axis := range a.Tables[t] {
		n *= a.Sizes[axis]
	}
	return n
}

// Same reports whether two aggregations add up the same numbers.
func (a *Aggregation) Same(b *Aggregation) bool { return a == b || a.String() == b.String() }

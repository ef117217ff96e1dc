// Package aggregation describes what is added up of a table, as plain data.
//
// A query is three things: an [Aggregation], the argument for its sensitivity, and a reading that makes answers of
// totals and noise. An engine executes the aggregation and knows no kind of query: it decides from this data alone how
// it adds rows up, or that it cannot. An aggregation can be printed, compared and hashed.
package aggregation

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Aggregation is what is added up of the rows of a table: which rows, in which cells, which numbers, and within which
// bounds of a privacy unit.
type Aggregation struct {
	// By is the place of the dimensions in the query, for messages.
	By string `aggregation:"message"`
	// Columns are the columns that the aggregation reads, each once, beside those of Filters: those of the batches of an
	// accumulator, in their order.
	Columns []table.Field
	// Filters are the conditions that a row must fulfil.
	Filters []domain.Condition
	// Axes find the cell of a row in each dimension, of Sizes cells; a row is left out if it has none in one of them.
	Axes  []domain.Coding
	Sizes []int
	// Tables are the tables to count, each by some axes, the last of which changes fastest. Only crosstabs have more than
	// one.
	Tables [][]int
	// Apart is set if a row's content, of which digests are, has its cell of each axis and not its cell in all of them
	// together.
	Apart bool
	// Dense is set if the totals of all cells are needed, even if very many cells have no row.
	Dense bool
	// Unit is the privacy unit's columns; if there are none, each row is a unit and nothing is bounded. FloatUnit allows
	// columns of floating-point numbers.
	Unit      []string
	FloatUnit bool
	Limits    bounding.Limits
	// Keys are the parts of the keys of rows, if keys are discovered; else none. A row without one of them is left out.
	// The first axes are those that parts of keys name, and Tables has one table, by the other axes. Digests of a row's
	// cell are of the cell and the SHA-256 of the key.
	Keys []KeyPart
	// MinUnits is the least number of units of a key of which anything is told, as counted by the query that selects the
	// keys; 0 stands for 1.
	MinUnits int64
	// Value is what is added up, nil if rows are counted. AllRows says that rows without a value count as rows of a value
	// at the centre.
	Value   *quantize.Quantizer
	AllRows bool
	// Second is a second number of each row that is added up too, nil if there is none.
	Second *Second
	// CountRows is set if the number of rows of each cell is needed beside the sums.
	CountRows bool
	// Units is set if the number of units that have a row is needed too, as table 1.
	Units bool
	// Steps are the bounds on the rows of a unit of which one is chosen later, ascending, the last of which is that of
	// Limits; nil if the bound is fixed. A row that is kept counts in the table of the first step that is not below its
	// rank among those of its unit, by digest. After these tables there is one of units, by the step of their last row.
	Steps []int64
	// Bins are the quantized values from which on a bin but the first begins, ascending; nil if values are not added up by
	// bins. A row counts in the table of its bin, and one without a value in the table after the last bin.
	Bins []int64
}

// Second is the square of the quantized value of a row less the centre, x, less a constant: x² - Less. Its quantum is
// 2^Exponent. Values have at most 30 digits, so that it has at most 60.
type Second struct {
	Less     int64
	Exponent int
}

// Of returns the second number of a value less the centre.
func (s Second) Of(x int64) int64 { return x*x - s.Less }

// KeyPart is what a dimension adds to a key that is discovered.
type KeyPart struct {
	// Axis is the number of a listed dimension among the axes, whose code is in the key; -1 if the keys of the dimension
	// are discovered.
	Axis int
	// Column is a discovered dimension's, of type Type. Texts are folded by Fold before.
	Column string
	Type   table.Type
	Fold   domain.Fold
	// Prefix and Suffix are the bytes before and after the value: of a text its own, with 255 after each 0; of others the
	// eight bytes of the number, big-endian, with the sign's bit turned over. A code has four bytes.
	Prefix, Suffix []byte
}

// ColumnNames are the names of the columns of batches, in their order.
func (a *Aggregation) ColumnNames() []string {
	names := make([]string, len(a.Columns))
	for i, f := range a.Columns {
		names[i] = f.Name
	}
	return names
}

// KeyAxes is how many of the axes are parts of keys: the first ones.
func (a *Aggregation) KeyAxes() (n int) {
	for i := range a.Keys {
		if a.Keys[i].Axis >= 0 {
			n++
		}
	}
	return n
}

// Cells is the number of cells of a table.
func (a *Aggregation) Cells(t int) int {
	n := 1
	for _, axis := range a.Tables[t] {
		n *= a.Sizes[axis]
	}
	return n
}

// Same reports whether two aggregations add up the same.
func (a *Aggregation) Same(b *Aggregation) bool { return a == b || a.String() == b.String() }

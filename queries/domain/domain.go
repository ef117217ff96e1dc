package domain

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// MaxCells is the largest number of cells of a query without discovered keys. A cell number must fit an int32.
const MaxCells = math.MaxInt32

// domain is one form of dimension: it names the cells and maps values to cells.
type domain interface {
	// size returns the number of cells without the null cell and the other cell.
	size() int
	// Keys returns the key columns of the answer, for an axis with this name. extra holds the labels of the null cell and
	// the other cell, if the axis has them. A column's Stride is counted within the axis; 0 means 1.
	Keys(name string, extra []string) []KeyColumn
}

// columnDomain is a domain whose cells depend on the value of one column.
type columnDomain interface {
	domain
	// coding returns the coding for a column of type t, or the reasons why there is none. b holds the codes of nulls and
	// of values that belong to no cell. The Field of an error is relative to the dimension. The caller sets the coding's
	// Column, Type, Null and Other.
	coding(t table.Type, b ExtraCells) (Coding, []*problem.Error)
}

// valueCoder maps values of one type to cells.
type valueCoder interface {
	// Codes sets dst[i] to the cell of value from+i, or to Dropped if the value is not counted.
	Codes(v table.Values, from int, dst []int32)
}

// ExtraCells holds the codes of nulls and of values outside the domain. A code is the null cell or the other cell, or
// Dropped.
type ExtraCells struct {
	Null, Other int32
	Names       []string // labels of the null cell and the other cell, if the axis has them
}

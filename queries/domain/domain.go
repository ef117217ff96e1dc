package domain

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// MaxCells is the largest number of cells of a dense vector. A cell number must fit an int32.
const MaxCells = math.MaxInt32

// domain is one form of dimension: it names the cells and codes values.
type domain interface {
	// size returns the number of cells without the null cell and the other cell.
	size() int
	// Keys returns the key columns of the answer for an axis called name. extra holds the labels of the null cell and the
	// other cell, if the axis has them. A column's Stride is counted within the axis; 0 means 1.
	Keys(name string, extra []string) []KeyColumn
}

// columnDomain is a domain whose cells depend on the value of one column.
type columnDomain interface {
	domain
	// coding makes the coding of a column of type t, or returns why that is impossible. b holds the codes of nulls and of
	// values in no cell. The Field of an error is relative to the dimension. The caller fills in the coding's Column,
	// Type, Null and Other.
	coding(t table.Type, b ExtraCells) (Coding, []*problem.Error)
}

// valueCoder maps values of one type to cells.
type valueCoder interface {
	// Codes sets dst[i] to the cell of value from+i, or to Dropped if it has no cell.
	Codes(v table.Values, from int, dst []int32)
}

// ExtraCells holds the codes of nulls and of values outside the domain: the null cell and the other cell, or Dropped.
type ExtraCells struct {
	Null, Other int32
	Names       []string // labels of the null cell and the other cell, if the axis has them
}

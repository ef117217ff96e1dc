package domain

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// MaxCells is the largest number of cells of a dense vector: the number must fit an int32.
const MaxCells = math.MaxInt32

// domain is one form of dimension: it names the cells and codes values.
type domain interface {
	// size returns the number of cells without the null cell and the other cell.
	size() int
	// Keys returns the key columns of an axis called name; extra holds the labels of the null cell and the other cell,
	// if they are added. Strides are within the axis; 0 means 1.
	Keys(name string, extra []string) []KeyColumn
}

// columnDomain finds the cell of a value of one column.
type columnDomain interface {
	domain
	// coding makes the coding of a column of type t, or returns why it cannot; the errors' Field is relative to the
	// dimension's. The caller fills in the column, its type and the codes of nulls and other values.
	coding(t table.Type, b ExtraCells) (Coding, []*problem.Error)
}

// valueCoder finds the cells of values of one type.
type valueCoder interface {
	// Codes writes the cells of the values from, from+1, … to dst, one for each element of dst; Dropped if a value has
	// no cell.
	Codes(v table.Values, from int, dst []int32)
}

// ExtraCells holds the codes of nulls and of values outside the domain: a cell, or Dropped.
type ExtraCells struct {
	Null, Other int32
	Names       []string // labels of the null cell and the other cell, if they are added
}

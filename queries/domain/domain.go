package domain

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// MaxCells is the largest domain of a dense vector: a number of cells fits an int32.
const MaxCells = math.MaxInt32

// domain is the kind of a dimension: it names the cells and finds the cell of a value.
type domain interface {
	// size is the number of cells, without the null cell and the other cell.
	size() int
	// Keys are the key columns of an axis of that name with the labels of some extra cells; strides are within the axis, 0
	// means 1.
	Keys(name string, extra []string) []KeyColumn
}

// columnDomain finds the cell of a value of one column.
type columnDomain interface {
	domain
	// coding makes the coding of a column of that type, or says why it cannot; Field is below the dimension's. Column and
	// type, and the codes of nulls and other values, come on top.
	coding(t table.Type, b ExtraCells) (Coding, []*problem.Error)
}

// valueCoder finds the cells of values of one type.
type valueCoder interface {
	// Codes writes to dst the cells of the values from, from+1, …: one for each item of dst, or dropped.
	Codes(v table.Values, from int, dst []int32)
}

// ExtraCells are the codes of nulls and of values out of the domain: a cell, or dropped.
type ExtraCells struct {
	Null, Other int32
	Names       []string // labels of the null cell and the other cell, if they are added
}

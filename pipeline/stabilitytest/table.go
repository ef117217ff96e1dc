package stabilitytest

import (
	"slices"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// Kind is the kind of values in a column.
type Kind uint8

// The kinds. The comments give the Go type and the meaning of a [Row]'s cell that is not null.
const (
	Int64   Kind = iota // int64
	Int32               // int64 within 32 bits
	Uint64              // uint64
	Float64             // float64
	Float32             // float64 that is a float32
	Text                // string of any bytes
	Bool                // bool
	Date                // int64: days since 1970-01-01, within 32 bits
	Instant             // int64: microseconds since 1970-01-01T00:00:00Z
	Clock               // int64: microseconds of a wall clock, without a zone
	Cents               // int64: hundredths, of at most 9 digits
	Whole               // int64: a decimal without fraction, of at most 12 digits
	List                // []float64
)

// Column is a column of the input.
type Column struct {
	Name     string
	Kind     Kind
	Optional bool // some cells are null
}

// Row is a row of the input, with one cell per column; nil is null.
type Row = sourcetest.Row

// Table holds the rows of each file of the input.
type Table = sourcetest.Table

// index returns the index of a column, or -1.
func index(columns []Column, name string) int {
	return slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
}

package stabilitytest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a column in files.
type Kind uint8

// The kinds, and what a cell of a [Row] holds if it is not null.
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
	Optional bool // it may have nulls
}

// Row is a row of the input, with one cell per column; nil is null.
type Row []any

// Table is the contents of the input: the rows of each of its files.
type Table [][]Row

// Rows returns the number of rows of all files.
func (t Table) Rows() int {
	n := 0
	for _, rows := range t {
		n += len(rows)
	}
	return n
}

// String prints a table with one line per row, in a form that a reader can copy.
func (t Table) String() string {
	var b strings.Builder
	for i, rows := range t {
		fmt.Fprintf(&b, "  file %d:\n", i)
		for _, r := range rows {
			b.WriteString("    " + r.String() + "\n")
		}
	}
	return b.String()
}

// String prints the cells of a row.
func (r Row) String() string {
	cells := make([]string, len(r))
	for i, c := range r {
		cells[i] = cellText(c)
	}
	return "[" + strings.Join(cells, ", ") + "]"
}

func cellText(c any) string {
	switch c := c.(type) {
	case nil:
		return "null"
	case string:
		if len(c) > 80 {
			return fmt.Sprintf("%q+%d bytes", c[:80], len(c)-80)
		}
		return strconv.Quote(c)
	case float64:
		if math.IsNaN(c) {
			return fmt.Sprintf("NaN(%#x)", math.Float64bits(c))
		}
		return strconv.FormatFloat(c, 'g', -1, 64)
	case []float64:
		cells := make(Row, len(c))
		for i, x := range c {
			cells[i] = x
		}
		return cells.String()
	}
	return fmt.Sprint(c)
}

// index returns the index of a column, or -1.
func index(columns []Column, name string) int {
	return slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
}

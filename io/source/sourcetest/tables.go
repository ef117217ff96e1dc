// Package sourcetest writes tables for tests: columns of any type, with the libraries that other programs use, in file
// layouts that are drawn at random.
package sourcetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// Type is the type of a column in each of the libraries.
type Type struct {
	Name string
	// Arrow is the type in Arrow; nil if Arrow does not have it. IPCOnly is set if Arrow cannot write it to Parquet, or
	// writes another type.
	Arrow   arrow.DataType
	IPCOnly bool
	// Node is the type in parquet-go; nil if parquet-go does not have it.
	Node parquet.Node
	// Tag is the field tag of xitongsys/parquet-go; "" if that library does not have the type.
	Tag string
}

// Column is a column of a table.
type Column struct {
	Name     string
	Type     Type
	Optional bool // the column may have nulls
}

// Row holds the cells of a row. A cell is nil for null, or an int64, a uint64, a *big.Int, a float64, a bool, a string
// of bytes, or a []float64.
type Row []any

// Table holds the rows of each file of a table.
type Table [][]Row

// Rows returns the number of rows of all files.
func (t Table) Rows() int {
	n := 0
	for _, rows := range t {
		n += len(rows)
	}
	return n
}

// String returns a table with one line a row, in a form that can be copied into a test.
func (t Table) String() string {
	var b strings.Builder
	for i, rows := range t {
		fmt.Fprintf(&b, "  file %d:\n", i)
		for _, r := range rows {
			fmt.Fprintf(&b, "    %s\n", r)
		}
	}
	return b.String()
}

// String returns the cells of a row in a form that can be copied into a test.
func (r Row) String() string {
	cells := make([]string, len(r))
	for i, c := range r {
		cells[i] = cellText(c)
		if n := len(cells[i]); n > 400 {
			cells[i] = fmt.Sprintf("%s… %d bytes", cells[i][:400], n)
		}
	}
	return "[" + strings.Join(cells, ", ") + "]"
}

func cellText(cell any) string {
	switch c := cell.(type) {
	case nil:
		return "null"
	case string:
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
	return fmt.Sprint(cell)
}

// Library writes rows into files of a format. The layout of a file is drawn at random: row groups, pages, record
// batches, encodings, dictionaries, statistics. It depends only on r, so two tables can have the same layout.
type Library struct {
	Name, Ending string
	Has          func(Type) bool
	Encode       func(columns []Column, rows []Row, r *rand.Rand) ([]byte, error)
}

// The libraries that write files: Go's most used ones.
var (
	ParquetGo    = Library{"parquet-go", ".parquet", func(t Type) bool { return t.Node != nil }, parquetGo}
	ArrowParquet = Library{"arrow parquet", ".parquet", func(t Type) bool { return isArrow(t) && !t.IPCOnly },
		arrowParquet}
	XitongsysParquet = Library{"xitongsys", ".parquet", func(t Type) bool { return t.Tag != "" }, xitongsys}
	ArrowFile        = Library{"arrow file", ".arrow", isArrow, arrowFile}
	ArrowStream      = Library{"arrow stream", ".arrow", isArrow, arrowStream}
)

func isArrow(t Type) bool { return t.Arrow != nil }

// leaf returns a cell as the value that parquet-go stores for the physical type of.
func leaf(of parquet.Type, cell any) parquet.Value {
	if x, ok := cell.(uint64); ok {
		cell = int64(x)
	}
	if x, ok := cell.(*big.Int); ok {
		switch of.Kind() {
		case parquet.ByteArray:
			cell = string(shortest(x))
		case parquet.FixedLenByteArray:
			cell = string(twos(x, of.Length()))
		default:
			cell = x.Int64()
		}
	}
	switch x := cell.(type) {
	case bool:
		return parquet.BooleanValue(x)
	case float64:
		if of.Kind() == parquet.Float {
			return parquet.FloatValue(float32(x))
		}
		return parquet.DoubleValue(x)
	case int64:
		if of.Kind() == parquet.Int32 {
			return parquet.Int32Value(int32(x))
		}
		return parquet.Int64Value(x)
	case string:
		switch b := []byte(x); of.Kind() {
		case parquet.FixedLenByteArray:
			return parquet.FixedLenByteArrayValue(b)
		case parquet.Int96:
			return parquet.Int96Value(deprecated.Int96{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]),
				binary.LittleEndian.Uint32(b[8:])})
		default:
			return parquet.ByteArrayValue(b)
		}
	}
	return parquet.Value{}
}

// twos returns x in two's complement, in width bytes, the highest first.
func twos(x *big.Int, width int) []byte {
	if x.Sign() < 0 {
		x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
	}
	return x.FillBytes(make([]byte, width))
}

// shortest returns x in two's complement, in as few bytes as possible.
func shortest(x *big.Int) []byte { return twos(x, x.BitLen()/8+1) }

// Must returns a function that returns its first argument, or fails the test if the error is not nil.
func Must(tb testing.TB) func([]byte, error) []byte {
	return func(b []byte, err error) []byte {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return b
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

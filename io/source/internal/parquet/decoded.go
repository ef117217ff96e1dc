package parquet

import (
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/dprelease/dprelease/io/table"
)

// decoded is values of a page or a dictionary as the library decodes them: one of the slices is in use. What a table
// holds in another form is converted when rows are taken (values.go), since a page may have many more rows than a
// batch.
type decoded struct {
	bits     []byte // booleans, from bit skipped on, or
	skipped  int
	bools    []byte  // one a byte
	ints32   []int32 // integers, or codes
	ints64   []int64
	ints96   []deprecated.Int96
	floats32 []float32
	floats64 []float64
	bytes    []byte   // strings: of a fixed length, or
	offsets  []uint32 // one more than strings, or nil
}

// converter takes the next n values of a type whose form in a table differs from Parquet's, in to, from its start.
type converter func(d *decoded, n int, to *table.Values) table.Values

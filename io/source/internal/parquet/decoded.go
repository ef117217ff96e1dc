package parquet

import (
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/dprelease/dprelease/io/table"
)

// decoded holds values of a page or a dictionary, as the library decodes them. One of its slices is used. A page may
// have many more rows than a batch, so values are converted to the form of a table when rows are taken (values.go).
type decoded struct {
	bits     []byte // booleans, one a bit; the first skipped bits are not used
	skipped  int
	bools    []byte  // booleans, one a byte
	ints32   []int32 // integers, or codes into the dictionary
	ints64   []int64
	ints96   []deprecated.Int96
	floats32 []float32
	floats64 []float64
	bytes    []byte   // strings, of a fixed length or given by offsets
	offsets  []uint32 // one more than there are strings; nil if their length is fixed
}

// converter takes the next n values of d and stores them in to, from its start. It serves types that a table holds in
// another form than Parquet does.
type converter func(d *decoded, n int, to *table.Values) table.Values

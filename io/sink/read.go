package sink

import (
	"context"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
)

// A written table is read for two purposes: to compare it with the answer before it is published (verify), and to hold
// it in memory for another rendering, a report or a check (readback.go). Both use the same reader of its format,
// Format.Read, which passes rows on in pieces, so a comparison needs little memory. Errors hold no value of a table.

// tableReceiver receives a table that is read from a file.
type tableReceiver interface {
	// columns receives the names of all columns and, for each, whether it may be null; optional is nil if the format does
	// not record this. It returns the number of key columns, and whether add needs the keys. A JSON file without rows has
	// no columns.
	columns(names []string, optional []bool) (keys int, needed bool, err error)
	// add receives the next rows, which are valid until it returns.
	add(r *fileRows) error
}

// fileRows holds n rows of a file, by column.
type fileRows struct {
	n      int
	keys   []fileKeys
	values [][]float64 // the numbers of each column after the keys; NaN if there is no value
}

// fileKeys holds the labels of a key column. kind tells which of the three slices holds them.
type fileKeys struct {
	kind   keyKind
	texts  []string
	ints   []int64
	floats []float64
}

// keyKind is the type of a key column, as far as the format stores it.
type keyKind uint8

const (
	anyKey    keyKind = iota // CSV: labels of any type, as texts
	textKey                  // strings
	numberKey                // JSON: numbers, as texts
	wholeKey                 // ints
	realKey                  // floats
)

// newFileRows allocates rows with the given numbers of keys and values.
func newFileRows(keys, values int) *fileRows {
	return &fileRows{keys: make([]fileKeys, keys), values: make([][]float64, values)}
}

// reset removes all rows and keeps the memory.
func (r *fileRows) reset() {
	r.n = 0
	for i := range r.keys {
		k := &r.keys[i]
		k.texts, k.ints, k.floats = k.texts[:0], k.ints[:0], k.floats[:0]
	}
	for i := range r.values {
		r.values[i] = r.values[i][:0]
	}
}

// losses are the differences that writing a table in a format and reading it again may cause.
type losses struct {
	lineEnds   bool // \r\n in a label becomes \n
	infinities bool // an infinite value is read as missing, and an infinite label as null
}

// verify reads back a file of size bytes and compares every row with the table.
func verify(ctx context.Context, f format, r io.ReaderAt, size int64, t *table) error {
	c := &comparison{table: t, loses: f.loses()}
	for _, k := range t.keys {
		texts := k.Labels.Texts()
		for i, s := range texts {
			if c.loses.lineEnds {
				texts[i] = strings.ReplaceAll(s, "\r\n", "\n")
			}
			if c.loses.infinities && len(k.Labels.Floats) > 0 && !finite(k.Labels.Floats[i]) {
				texts[i] = "null"
			}
		}
		c.labels = append(c.labels, texts)
	}
	next, stop := iter.Pull2(t.blocks(ctx))
	defer stop()
	c.next = next
	if err := f.Read(ctx, r, size, c); err != nil {
		return err
	}
	if more, err := c.load(); err != nil || more {
		return mismatchUnless(err, "the number of rows")
	}
	return nil
}

func mismatchUnless(err error, place mismatch) error {
	if err != nil {
		return err
	}
	return place
}

// comparison compares rows with the rows of a table, block by block.
type comparison struct {
	table  *table
	loses  losses
	labels [][]string // labels[i][j] is label j of key i, as the reader of the format returns it
	next   func() (*block, error, bool)
	block  *block
	at     int // index in block of the first row that is not compared yet
}

// columns checks the names of the columns, and which of them may be null. It needs the keys of all rows.
func (c *comparison) columns(names []string, optional []bool) (int, bool, error) {
	want := c.table.columns()
	if c.loses.lineEnds {
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "\r\n", "\n")
		}
	}
	if !slices.Equal(names, want) {
		return 0, false, mismatch("the columns")
	}
	for i, may := range optional {
		if may != (c.table.nullable && i >= len(c.table.keys)) {
			return 0, false, mismatch("the schema")
		}
	}
	return len(c.table.keys), true, nil
}

// load reads the next block if all rows of block were compared. It returns false if the table has no more rows.
func (c *comparison) load() (bool, error) {
	for c.block == nil || c.at == len(c.block.cells) {
		b, err, ok := c.next()
		if err != nil || !ok {
			return false, err
		}
		c.block, c.at = b, 0
	}
	return true, nil
}

// add compares the next rows of the file with the next rows of the table. The error names what differs.
func (c *comparison) add(r *fileRows) error {
	for from := 0; from < r.n; {
		if more, err := c.load(); err != nil || !more {
			return mismatchUnless(err, "the number of rows")
		}
		n := min(r.n-from, len(c.block.cells)-c.at)
		for i := range r.keys {
			if !c.sameLabels(i, &r.keys[i], from, c.block.cells[c.at:c.at+n]) {
				return mismatch("column " + c.table.keys[i].Name)
			}
		}
		for i, got := range r.values {
			if !slices.EqualFunc(got[from:from+n], c.block.values[i][c.at:c.at+n], c.sameNumber) {
				return mismatch("column " + c.table.values[i].name)
			}
		}
		from, c.at = from+n, c.at+n
	}
	return nil
}

// sameNumber reports whether got, read from the file, equals the table's value want.
func (c *comparison) sameNumber(got, want float64) bool {
	if c.loses.infinities && !finite(want) {
		return math.IsNaN(got)
	}
	return sameBits(got, want) || math.IsNaN(got) && math.IsNaN(want)
}

// sameLabels reports whether the labels of key i in got, from row from on, equal those of the given cells in the table.
func (c *comparison) sameLabels(i int, got *fileKeys, from int, cells []int) bool {
	k := c.table.keys[i]
	n := len(c.labels[i])
	switch {
	case got.kind == wholeKey && len(k.Labels.Ints) > 0:
		return slices.EqualFunc(got.ints[from:from+len(cells)], cells, func(got int64, cell int) bool {
			return got == k.Labels.Ints[labelAt(k, n, cell)]
		})
	case got.kind == realKey && len(k.Labels.Floats) > 0:
		return slices.EqualFunc(got.floats[from:from+len(cells)], cells, func(got float64, cell int) bool {
			return sameBits(got, k.Labels.Floats[labelAt(k, n, cell)])
		})
	case got.kind == anyKey, (got.kind == textKey) == (len(k.Labels.Strings) > 0) && got.kind <= numberKey:
		return slices.EqualFunc(got.texts[from:from+len(cells)], cells, func(got string, cell int) bool {
			return got == c.labels[i][labelAt(k, n, cell)]
		})
	}
	return false
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

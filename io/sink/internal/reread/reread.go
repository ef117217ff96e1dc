// Package reread reads the Parquet files that package sink writes, and no others, with nothing in common with the library that wrote
// them: flat columns of doubles, 64-bit integers and texts; version 1 data pages; plain or dictionary-encoded; zstd. Every page's
// checksum is checked. Source: github.com/apache/parquet-format, README and parquet.thrift.
package reread

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// ErrFormat says that a file is not one that package sink writes, or was changed since.
var ErrFormat = errors.New("not a Parquet file as it was written")

// Kind is the type of a column.
type Kind int

// The kinds, by Parquet's numbers of the physical types.
const (
	Int64  Kind = 2
	Double Kind = 5
	Text   Kind = 6
)

// Column is one column of a row group. Of Ints, Floats and Texts the one of its kind is set, a value a row; Null says which rows have
// none, and is nil where all have one.
type Column struct {
	Name   string
	Kind   Kind
	Ints   []int64
	Floats []float64
	Texts  []string
	Null   []bool
}

// Limits on what a file may claim.
const (
	mostFooter = 64 << 20
	mostPage   = 256 << 20
)

// Read reads a file of size bytes and hands each row group's columns to f, in order. It returns the number of rows.
func Read(r io.ReaderAt, size int64, f func([]Column) error) (rows int, err error) {
	footer, err := readFooter(r, size)
	if err != nil {
		return 0, err
	}
	schema, err := columnsOf(footer.list(2))
	if err != nil {
		return 0, err
	}
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostPage))
	if err != nil {
		return 0, err
	}
	defer unzip.Close()
	for _, g := range footer.list(4) {
		group, ok := g.(thriftStruct)
		if !ok || len(group.list(1)) != len(schema) {
			return rows, ErrFormat
		}
		columns, err := (&groupReader{r, size, unzip}).columns(group, schema)
		if err != nil {
			return rows, err
		}
		if err := f(columns); err != nil {
			return rows, err
		}
		rows += int(group.int(3))
	}
	if int64(rows) != footer.int(3) {
		return rows, ErrFormat
	}
	return rows, nil
}

func readFooter(r io.ReaderAt, size int64) (thriftStruct, error) {
	var tail [8]byte
	if size < 12 {
		return nil, ErrFormat
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	if string(tail[4:]) != "PAR1" || n > size-12 || n > mostFooter {
		return nil, ErrFormat
	}
	b := make([]byte, n)
	if _, err := r.ReadAt(b, size-8-n); err != nil {
		return nil, err
	}
	footer, _, ok := decodeStruct(b)
	if !ok {
		return nil, ErrFormat
	}
	return footer, nil
}

// described is a column as the schema has it.
type described struct {
	name     string
	kind     Kind
	optional bool
}

// columnsOf reads the schema: a root with leaves.
func columnsOf(elements []any) (out []described, err error) {
	for i, e := range elements {
		s, ok := e.(thriftStruct)
		if !ok {
			return nil, ErrFormat
		}
		if i == 0 {
			if s.int(5) != int64(len(elements)-1) {
				return nil, ErrFormat
			}
			continue
		}
		c := described{name: s.text(4), kind: Kind(s.int(1)), optional: s.int(3) == 1}
		if c.kind != Int64 && c.kind != Double && c.kind != Text || s.int(3) > 1 || s.int(5) != 0 {
			return nil, ErrFormat
		}
		out = append(out, c)
	}
	return out, nil
}

// Package tables writes the tables of a release in each format, and checks a written file against its table, row by row and bit by bit.
//
// A format is a file NAME.go with its writer and NAME_verify.go with its check; format.go lists them. Package sink says what the formats look like.
package tables

import (
	"context"
	"io"
)

// A Format writes a table to a file and checks a written file against the table. To add one, implement it in a file of
// its own and list it in builtin.
type Format interface {
	// Extension returns the end of the file's name, with its dot.
	Extension() string
	// Write streams the table to w and returns the number of rows.
	Write(ctx context.Context, w io.Writer, t *Table) (rows int, err error)
	// Verify reads back a file of size bytes and compares every row with the table.
	Verify(ctx context.Context, r io.ReaderAt, size int64, t *Table) error
}

// Builtin returns the formats by the names that a job gives them.
func Builtin() map[string]Format {
	return map[string]Format{"parquet": ParquetFormat{}, "csv": CSVFormat{}, "arrow": ArrowFormat{}, "json": JSONFormat{}}
}

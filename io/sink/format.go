package sink

import (
	"context"
	"io"
)

// This file writes the tables of a release in each format, and checks a written file against its table, row by row and
// bit by bit.
//
// A format is a file NAME.go with its writer and NAME_verify.go with its check; format.go lists them. Package sink says
// what the formats look like.

// A Format writes a table to a file and checks a written file against the table. To add one, implement it in a file of
// its own and list it in builtin.
type format interface {
	// Extension returns the end of the file's name, with its dot.
	Extension() string
	// Write streams the table to w and returns the number of rows.
	Write(ctx context.Context, w io.Writer, t *table) (rows int, err error)
	// Verify reads back a file of size bytes and compares every row with the table.
	Verify(ctx context.Context, r io.ReaderAt, size int64, t *table) error
}

// builtin returns the formats by the names that a job gives them.
func builtin() map[string]format {
	return map[string]format{"parquet": parquetFormat{}, "csv": CSVFormat{}, "arrow": arrowFormat{}, "json": jsonFormat{}}
}

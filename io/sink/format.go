package sink

import (
	"context"
	"io"
)

// A format writes a table to a file and checks a written file against the table. To add one, implement it in a file of
// its own and list it in builtin.
type format interface {
	// extension returns the end of the file's name, with its dot.
	extension() string
	// write streams the table to w and returns the number of rows.
	write(ctx context.Context, w io.Writer, t *table) (rows int, err error)
	// verify reads back a file of size bytes and compares every row with the table.
	verify(ctx context.Context, r io.ReaderAt, size int64, t *table) error
}

func builtin() map[string]format {
	return map[string]format{"parquet": parquetFormat{}, "csv": csvFormat{}, "arrow": arrowFormat{}, "json": jsonFormat{}}
}

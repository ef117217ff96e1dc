package sink

import (
	"context"
	"io"
)

// The writer of a file format is in csv.go, arrow.go, …; its reader is in csv_read.go, arrow_read.go, … The package
// comment (doc.go) describes the files' contents.

// format writes a table to a file and reads it. To add one, implement it in files of its own and add it to builtin, and
// to readBack if releases can be read from it.
type format interface {
	// Extension returns the ending of the file's name, with its dot.
	Extension() string
	// Write writes the table to w in blocks and returns the number of rows.
	Write(ctx context.Context, w io.Writer, t *table) (rows int, err error)
	// Read reads a file of size bytes and passes its rows to the receiver.
	Read(ctx context.Context, r io.ReaderAt, size int64, to tableReceiver) error
	// loses returns the ways in which a table changes if it is written and read again.
	loses() losses
}

// builtin returns the formats, by their names in a job.
func builtin() map[string]format {
	return map[string]format{"parquet": parquetFormat{}, "csv": CSVFormat{}, "arrow": arrowFormat{}, "json": jsonFormat{}}
}

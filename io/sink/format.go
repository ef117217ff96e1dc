package sink

import (
	"context"
	"io"
)

// A format is a file NAME.go with its writer and NAME_read.go with its reader. The package comment describes what the
// files hold.

// format writes a table to a file and reads it. To add one, implement it in files of its own and list it in builtin,
// and in readBack if a release can be read from it.
type format interface {
	// Extension returns the end of the file's name, with its dot.
	Extension() string
	// Write streams the table to w and returns the number of rows.
	Write(ctx context.Context, w io.Writer, t *table) (rows int, err error)
	// Read reads a file of size bytes.
	Read(ctx context.Context, r io.ReaderAt, size int64, to tableReceiver) error
	// loses returns how what Read returns differs from what was written.
	loses() losses
}

// builtin returns the formats by the names that a job gives them.
func builtin() map[string]format {
	return map[string]format{"parquet": parquetFormat{}, "csv": CSVFormat{}, "arrow": arrowFormat{}, "json": jsonFormat{}}
}

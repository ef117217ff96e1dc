// Package scan is what the readers of CSV, Arrow and Parquet files share: errors, parts of files that are hashed while
// they are read, decompression, decimals, the limits of batches, and the memory of columns.
package scan

import (
	"context"

	"github.com/dprelease/dprelease/io/table"
)

// File is a file whose schema is known. Its methods may be called concurrently.
type File interface {
	Schema() table.Schema
	Splits() int
	// Length is the file's size in bytes, as it was when it was opened.
	Length() int64
	// Public says whether a column's name is surely not data.
	Public(column string) bool
	// Read and Digest do for one split what the methods of source.Dataset do.
	Read(ctx context.Context, split int, columns []string, yield func(*table.Batch) error) (Summary, error)
	Digest(ctx context.Context, split int, columns []string) ([]byte, error)
}

// Footed is a file whose footer states how many rows a split has, and the min and max of some columns. DigestFooter is
// the digest of a split of which only the footer is used.
type Footed interface {
	// Rows returns the number of rows, or UnknownRows.
	Rows(split int) int64
	Bounds(split int, column string) (table.Bounds, bool)
	DigestFooter(split int) ([]byte, error)
}

// Fetcher is a file that can fetch what Read will read of some columns of a split, ahead of it. Fetch returns false if
// it does not.
type Fetcher interface {
	Fetch(split int, columns []string) bool
}

// UnknownRows is the number of rows of a split that is not stated.
const UnknownRows = -1

// Summary says of a split what its batches do not.
type Summary struct {
	Digest  []byte // of the bytes that were read; of a split that is left out, of the footer
	Skipped int64  // rows of a split that is left out, as its footer states
	Blank   int64  // lines of a CSV file that are no rows: blank lines and comments
}

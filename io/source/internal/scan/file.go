// Package scan holds the parts that the readers of CSV, JSON-lines, Arrow and Parquet files share: errors, sections of
// files that are hashed while they are read, decompression, decimals, the limits of batches, and the memory of columns.
package scan

import (
	"context"

	"github.com/dprelease/dprelease/io/table"
)

// File is a file whose schema is known. Its methods may be called concurrently.
type File interface {
	Schema() table.Schema
	Splits() int
	// Length is the file's size in bytes when it was opened.
	Length() int64
	// Public reports whether a column's name is certainly not data.
	Public(column string) bool
	// Read and Digest are the methods of source.Dataset for one split.
	Read(ctx context.Context, split int, columns []string, yield func(*table.Batch) error) (Summary, error)
	Digest(ctx context.Context, split int, columns []string) ([]byte, error)
}

// Footed is a file whose footer states the number of rows of a split, and the min and max of some columns. DigestFooter
// returns the digest of a split if only its footer is used.
type Footed interface {
	// Rows returns the number of rows, or UnknownRows.
	Rows(split int) int64
	Bounds(split int, column string) (table.Bounds, bool)
	DigestFooter(split int) ([]byte, error)
}

// Fetcher is a file that can fetch, ahead of Read, the bytes of some columns of a split. Fetch returns false if it
// fetches nothing.
type Fetcher interface {
	Fetch(split int, columns []string) bool
}

// UnknownRows stands for a number of rows that the file does not state.
const UnknownRows = -1

// Summary describes a split that was read.
type Summary struct {
	Digest  []byte // digest of the bytes that were read; of the footer, if the split is skipped
	Skipped int64  // number of rows of a skipped split, as its footer states
	Blank   int64  // number of blank lines and comments in a CSV file
}

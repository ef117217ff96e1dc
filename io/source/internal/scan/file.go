// Package scan has what the readers of CSV, JSON-lines, Arrow and Parquet files share: sections of files that are
// hashed while they are read, decompression, decimals, limits on batches, and the memory of columns.
package scan

import (
	"context"

	"github.com/dprelease/dprelease/io/table"
)

// File is a file whose schema is known. Its methods may be called concurrently.
type File interface {
	Schema() table.Schema
	Splits() int
	// Length returns the file's size in bytes when it was opened.
	Length() int64
	// Public reports whether a column's name is certainly public. It is not if the name may be a row's value.
	Public(column string) bool
	// Read and Digest do for one split of this file what the methods of source.Dataset do. Files whose writer decides how
	// much memory all columns need together keep to about memory bytes; 0 for no limit.
	Read(ctx context.Context, split int, columns []string, memory int64, yield func(*table.Batch) error) (Summary, error)
	Digest(ctx context.Context, split int, columns []string) ([]byte, error)
	// Rows and Bounds return what the file's footer states: the number of rows of a split, or UnknownRows, and the min and
	// max of a column. If a split is skipped because of them, DigestFooter returns its digest, which covers only the
	// footer; nil if the format has no such footer.
	Rows(split int) int64
	Bounds(split int, column string) (table.Bounds, bool)
	DigestFooter(split int) ([]byte, error)
	// Fetch starts to fetch some columns of a split from a store, before Read needs them. It returns false if it fetches
	// nothing.
	Fetch(split int, columns []string) bool
}

// UnknownRows is returned for the number of rows if the file does not state it.
const UnknownRows = -1

// Unfooted has the methods of a File whose format has no footer with statistics, and which fetches nothing ahead.
type Unfooted struct{}

// Rows returns UnknownRows.
func (Unfooted) Rows(int) int64 { return UnknownRows }

// Bounds returns that no min and max are known.
func (Unfooted) Bounds(int, string) (table.Bounds, bool) { return table.Bounds{}, false }

// DigestFooter returns nil.
func (Unfooted) DigestFooter(int) ([]byte, error) { return nil, nil }

// Fetch returns false.
func (Unfooted) Fetch(int, []string) bool { return false }

// Summary describes a split that was read.
type Summary struct {
	Digest  []byte // digest of the bytes that were read; for a skipped split, of the footer
	Skipped int64  // number of rows in a skipped split, as the footer states it
	Blank   int64  // number of blank lines and comments in a CSV file
}

package source

import (
	"context"

	"github.com/dprelease/dprelease/io/table"
)

// file is a file whose schema is known. Its methods may be called concurrently.
type file interface {
	schema() table.Schema
	splits() int
	// public says whether a column's name is surely not data.
	public(column string) bool
	// read and digest do for one split what Dataset's methods do.
	read(ctx context.Context, split int, columns []string, yield func(*table.Batch) error) (Summary, error)
	digest(ctx context.Context, split int, columns []string) ([]byte, error)
}

// footed is a file whose footer states something of its splits.
type footed interface {
	rows(split int) int64
	bounds(split int, column string) (table.Bounds, bool)
	digestFooter(split int) ([]byte, error)
}

// Summary says of a split what its batches do not.
type Summary struct {
	Digest  []byte // as Dataset.Read returns it; of a split that is left out, of the footer
	Skipped int64  // rows of a split that is left out, as its footer states
	Blank   int64  // lines of a CSV file that are no rows: blank lines and comments
}

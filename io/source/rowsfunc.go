package source

import (
	"context"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// Rows is a function that reads some columns of a table in batches, from the first row to the last. It returns an error
// of yield unchanged.
type Rows func(ctx context.Context, columns []string, yield func(*table.Batch) error) error

// OfRows returns a dataset of one split whose rows come from the function read. The digest of its split is nil.
func OfRows(schema table.Schema, read Rows) *Dataset {
	d := &Dataset{schema: schema, stores: newStores(1)}
	d.add(found{base: "rows"}, rowsFile{schema: schema, read: read})
	return d
}

// rowsFile is the only file of a dataset of OfRows.
type rowsFile struct {
	scan.Unfooted
	schema table.Schema
	read   Rows
}

func (f rowsFile) Schema() table.Schema { return f.schema }
func (rowsFile) Splits() int            { return 1 }
func (rowsFile) Length() int64          { return 0 }
func (rowsFile) Public(string) bool     { return true }

func (f rowsFile) Read(ctx context.Context, _ int, columns []string, _ int64,
	yield func(*table.Batch) error) (scan.Summary, error) {
	return scan.Summary{}, f.read(ctx, columns, yield)
}

func (rowsFile) Digest(context.Context, int, []string) ([]byte, error) { return nil, nil }

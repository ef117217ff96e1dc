package source

import (
	"context"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// FalseMetadata is a wrong statement in a file's metadata that a SplitReader would trust: the min or max of a column in
// a row group. It holds no value of the table.
type FalseMetadata struct {
	File     string // name of the file, as in errors
	RowGroup int    // index of the row group, from 0
	Column   string
}

// WrongMetadata reads all rows of a split and returns the wrong statements of the file's metadata about the given
// columns. If the row group has another number of rows than the footer states, the error has the code CodeRowCount.
// WrongMetadata also returns the errors of Read.
func (d *Dataset) WrongMetadata(ctx context.Context, split int, columns []string) ([]FalseMetadata, error) {
	p, err := d.check(split, columns)
	if err != nil {
		return nil, err
	}
	f := d.files[p.file]
	var names []string
	var bounds []table.Bounds
	for _, name := range columns {
		if b, ok := f.Bounds(p.split, name); ok {
			names, bounds = append(names, name), append(bounds, b)
		}
	}
	if len(names) == 0 && f.Rows(p.split) == scan.UnknownRows {
		return nil, nil
	}
	wrong := make([]bool, len(names))
	_, err = d.Read(ctx, split, names, func(b *table.Batch) error {
		for i := range names {
			wrong[i] = wrong[i] || !bounds[i].Holds(&b.Columns[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []FalseMetadata
	for i, name := range names {
		if wrong[i] {
			out = append(out, FalseMetadata{d.found[p.file].name, p.split, name})
		}
	}
	return out, nil
}

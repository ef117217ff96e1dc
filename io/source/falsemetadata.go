package source

import (
	"context"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// FalseMetadata is the place of a statement that a file makes about its rows and that a SplitReader trusts: the min and
// max of a column in a row group. It holds no value.
type FalseMetadata struct {
	File     string // base name
	RowGroup int    // from 0
	Column   string
}

// WrongMetadata reads all rows of a split and returns the trusted statements about some columns that do not hold. Every
// read checks that the row group has as many rows as the footer states: the error then has CodeRowCount. Other errors
// are errors of Read.
func (d *Dataset) WrongMetadata(ctx context.Context, split int, columns []string) ([]FalseMetadata, error) {
	p, err := d.check(split, columns)
	if err != nil {
		return nil, err
	}
	f, ok := d.files[p.file].(scan.Footed)
	if !ok {
		return nil, nil
	}
	var names []string
	var bounds []table.Bounds
	for _, name := range columns {
		if b, ok := f.Bounds(p.split, name); ok {
			names, bounds = append(names, name), append(bounds, b)
		}
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
			out = append(out, FalseMetadata{d.names[p.file], p.split, name})
		}
	}
	return out, nil
}

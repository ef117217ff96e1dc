package local

import (
	"slices"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// selection returns the rows that may pass the job's filters, by what the files say of their columns: answers are the same as with
// all rows. There is nothing to go by without filters, or with events, of which each has columns of its own.
func (e *Engine) selection(p *pipeline.Plan) (*source.Selection, error) {
	names := p.Filters().Columns()
	if len(names) == 0 || len(p.Views()) != 1 {
		return e.data.Where(nil, nil), nil
	}
	logical, diags := p.LogicalSchema(e.data.Schema())
	if len(diags) > 0 {
		return nil, diags
	}
	selector, err := p.Filters().Compile(logical, p.Location())
	if err != nil {
		return nil, err
	}
	columns := make([]string, len(names))
	for i, name := range names {
		columns[i] = p.Columns()[p.Views()[0][slices.Index(p.Logical(), name)]]
	}
	return e.data.Where(columns, func(column int, b table.Bounds) bool {
		return selector.None(func(c int) (table.Bounds, bool) { return b, c == column })
	}), nil
}

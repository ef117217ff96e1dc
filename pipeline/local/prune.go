package local

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// ignoreStatistics is the value of input.statistics that turns off the use of files' min/max statistics.
const ignoreStatistics = "ignore"

// splitReader returns a reader that skips row groups in which no row can pass the job's filters, according to the min
// and max that the files state. Answers are the same as with all rows. It skips nothing if the job says
// input.statistics: ignore, has no filters, or has events, since each event has columns of its own.
func (e *Engine) splitReader(p *pipeline.Plan) (*source.SplitReader, error) {
	return e.splitReaderOf(p, e.data.Schema())
}

// splitReaderOf does the same as splitReader for a given schema: the columns of the files and the columns that joins
// add.
func (e *Engine) splitReaderOf(p *pipeline.Plan, schema table.Schema) (*source.SplitReader, error) {
	columns, filtered := e.prunableColumns(p)
	if len(columns) == 0 || p.Job().Input.Statistics == ignoreStatistics {
		return e.data.NewSplitReader(nil, nil), nil
	}
	logical, diags := p.LogicalSchema(schema)
	if len(diags) > 0 {
		return nil, diags
	}
	selector, err := p.Filters().Compile(logical, p.Location())
	if err != nil {
		return nil, err
	}
	filter := e.data.NewSplitReader(columns, func(column int, b table.Bounds) bool {
		return selector.RulesOut(func(c int) (table.Bounds, bool) { return b, c == filtered[column] })
	})
	filter.Counted = p.Job().Input.Rows > 0
	return filter, nil
}

// prunableColumns returns the columns of the input whose statistics can be used for the job's filters. filtered[i] is
// the index of columns[i] among the filters' columns. Files have no statistics for derived columns.
func (e *Engine) prunableColumns(p *pipeline.Plan) (columns []string, filtered []int) {
	if len(p.EventColumns()) != 1 {
		return nil, nil
	}
	for i, name := range p.Filters().Columns() {
		if at := p.EventColumns()[0][slices.Index(p.Logical(), name)]; at < len(p.Columns()) {
			columns, filtered = append(columns, p.Columns()[at]), append(filtered, i)
		}
	}
	return columns, filtered
}

// WrongMetadata reads all rows of the input and compares the min/max statistics of its files, for the columns of the
// job's filters, with the values. It returns the places of false statistics, without values. (Aggregate trusts the
// statistics unless the job has input.statistics: ignore.) A file whose row groups have other numbers of rows than
// stated is an error, as are errors of reading.
func (e *Engine) WrongMetadata(ctx context.Context, p *pipeline.Plan) ([]source.FalseMetadata, error) {
	if p.Job().Input.Statistics == ignoreStatistics {
		return nil, nil
	}
	columns, _ := e.prunableColumns(p)
	wrong := make([][]source.FalseMetadata, e.data.Splits())
	_, err := e.scan(ctx, e.limits.Workers, func(ctx context.Context, _, split int) (_ []byte, err error) {
		wrong[split], err = e.data.WrongMetadata(ctx, split, columns)
		return nil, err
	}, func() {})
	return slices.Concat(wrong...), err
}

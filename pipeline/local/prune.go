package local

import (
	"slices"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
)

// pruner finds the splits in which no row passes the job's filters, by what the footers say of their columns. Answers are the same
// as with all splits; so that a footer that lies is noticed, it is compared with the values where a split is read.
type pruner struct {
	data     *source.Dataset
	selector *queries.Selector
	filtered []table.Field // of the input, by position among the filters' columns
	at       []int         // their places among the plan's columns
}

// newPruner returns nil where there is nothing to go by: no filter, or events, of which each has columns of its own.
func newPruner(p *pipeline.Plan, data *source.Dataset) (*pruner, error) {
	names := p.Filters().Columns()
	if len(names) == 0 || len(p.Views()) != 1 {
		return nil, nil
	}
	logical, diags := p.LogicalSchema(data.Schema())
	if len(diags) > 0 {
		return nil, diags
	}
	selector, err := p.Filters().Compile(logical, p.Location())
	if err != nil {
		return nil, err
	}
	r := &pruner{data: data, selector: selector}
	for _, name := range names {
		at := p.Views()[0][slices.Index(p.Logical(), name)]
		field, _ := data.Schema().Lookup(p.Columns()[at])
		r.filtered, r.at = append(r.filtered, field), append(r.at, at)
	}
	return r, nil
}

// skips says whether no row of a split passes.
func (r *pruner) skips(split int) bool {
	return r != nil && r.selector.None(func(column int) (table.Bounds, bool) {
		return r.data.Bounds(split, r.filtered[column].Name)
	})
}

// checked returns a function that hands batches of a split on to add, after comparing the filters' columns with their bounds.
func (r *pruner) checked(split int, add func(*table.Batch) error) func(*table.Batch) error {
	if r == nil {
		return add
	}
	type stated struct {
		field  table.Field
		at     int
		bounds table.Bounds
	}
	var all []stated
	for i, f := range r.filtered {
		if b, ok := r.data.Bounds(split, f.Name); ok {
			all = append(all, stated{f, r.at[i], b})
		}
	}
	return func(b *table.Batch) error {
		for i := range all {
			if s := &all[i]; !s.bounds.Hold(s.field.Type.Kind, &b.Columns[s.at]) {
				return r.data.Contradicted(split, s.field.Name)
			}
		}
		return add(b)
	}
}

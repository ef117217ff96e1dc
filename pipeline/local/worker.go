package local

import (
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/derived"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/joined"
)

// worker holds the filters and one accumulator per query. It passes batches of rows to the accumulators.
type worker struct {
	rows         int64 // number of rows of the input, including skipped ones
	atOnce       int   // the maximum number of rows that are passed to the accumulators at once
	skipped      int64
	blanks       int64          // skipped blank and comment lines of CSV files
	joins        []*joined.Rows // the joins of this pass over the input
	derived      *derived.Evaluator
	views        [][]int // views[e]: indices of event e's logical columns among a batch's columns (Plan.EventColumns)
	selector     *domain.CompiledFilters
	filtered     []int // indices of the filters' columns among the logical columns
	accumulators []*queries.Accumulator
	// columns[i] are the indices of query i's columns among the logical columns, or in the table of units if the query
	// is over units.
	columns    [][]int
	own        []*ownFilter // own[i] is the filter of query i; queries with equal filters share it
	filters    []*ownFilter // each filter once
	units      *unitsWorker
	compactor  *compactor
	inspection *inspection // nil if nothing is tallied
}

// ownFilter holds the conditions of queries that not all queries have.
type ownFilter struct {
	overUnits bool
	selector  *domain.CompiledFilters
	columns   []int  // indices of the conditions' columns, as in worker.columns
	kept      []bool // kept[i] is true for the kept rows of the current batch that also meet the conditions; nil if all do
}

// applyFilters applies the filters of queries to a batch, whose kept rows are keep: those of queries over units, or
// those of the other queries.
func (w *worker) applyFilters(b *table.Batch, keep []bool, overUnits bool) error {
	for _, f := range w.filters {
		if f.overUnits != overUnits {
			continue
		}
		filtered := selectColumns(b, f.columns, keep)
		if err := f.selector.Apply(filtered); err != nil {
			return err
		}
		f.kept = filtered.Keep
	}
	return nil
}

// newWorkers makes n workers for a plan on an input with this schema.
func newWorkers(n int, p *pipeline.Plan, schema table.Schema, spill bounding.Spill, l Limits) ([]*worker, error) {
	of, err := p.Aggregations(schema)
	if err != nil {
		return nil, err
	}
	logical, _ := p.LogicalSchema(schema)
	shared, err := p.Filters().Conditions(logical, p.Location()) // their tables can be large
	if err != nil {
		return nil, err
	}
	workers := make([]*worker, n)
	for i := range workers {
		if workers[i], err = newWorker(p, of, shared, schema, spill, l); err != nil {
			return nil, err
		}
	}
	return workers, nil
}

// newWorker makes a worker. shared are the conditions of all queries.
func newWorker(p *pipeline.Plan, of []*aggregation.Aggregation, shared []domain.Condition, schema table.Schema,
	spill bounding.Spill, l Limits) (w *worker, err error) {
	filtered := p.Filters().Columns()
	w = &worker{atOnce: rowsAtOnce(of), views: p.EventColumns(), filtered: positions(p, filtered),
		selector: domain.NewCompiledFilters(shared, filtered)}
	if w.derived, err = p.Evaluator(schema); err != nil {
		return nil, err
	}
	if w.units, err = newUnitsWorker(p, schema, spill); err != nil {
		return nil, err
	}
	var read [][]int
	known := map[string]*ownFilter{}
	for q, a := range of {
		query := &p.Queries()[q]
		key := query.FilterKey()
		own := known[key]
		if conditions := a.Filters[len(shared):]; own == nil && len(conditions) > 0 {
			names := query.Filters.Columns()
			own = &ownFilter{overUnits: query.OverUnits(), selector: domain.NewCompiledFilters(conditions, names),
				columns: w.units.positions(p, q, names)}
			known[key], w.filters = own, append(w.filters, own)
			if !own.overUnits {
				read = append(read, own.columns)
			}
		}
		w.own = append(w.own, own)
		w.columns = append(w.columns, w.units.positions(p, q, a.ColumnNames()))
		if !query.OverUnits() {
			read = append(read, w.columns[q])
		}
	}
	w.compactor = newCompactor(len(p.Logical()), append(read, w.units.reads()))
	if w.accumulators, err = newAccumulators(p, of, spill, l); err != nil {
		return nil, err
	}
	if l.Look != LookNone {
		logical, _ := p.LogicalSchema(schema)
		if w.inspection, err = newInspection(p, logical, w.units.schema()); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func positions(p *pipeline.Plan, columns []string) []int {
	at := make([]int, len(columns))
	for i, c := range columns {
		at[i] = slices.Index(p.Logical(), c)
	}
	return at
}

// join adds the columns of the joins from index i on to a batch, and passes the result to yield. A join may turn one
// batch into several.
func (w *worker) join(i int, b *table.Batch, yield func(*table.Batch) error) error {
	if i == len(w.joins) {
		return yield(b)
	}
	return w.joins[i].Join(b, func(b *table.Batch) error { return w.join(i+1, b, yield) })
}

// sideReader reads the table whose columns a join adds, and stores its records in memory.
type sideReader struct {
	derived  *derived.Evaluator
	view     []int
	selector *domain.CompiledFilters
	filtered []int
	loader   *joined.Loader
}

// newSideReaders makes n readers for a side.
func newSideReaders(n int, p *pipeline.Plan, schema table.Schema, side *joined.Side) ([]*sideReader, error) {
	logical, diags := p.LogicalSchema(schema)
	if len(diags) > 0 {
		return nil, diags
	}
	conditions, err := p.Filters().Conditions(logical, p.Location())
	if err != nil {
		return nil, err
	}
	columns := p.Filters().Columns()
	readers := make([]*sideReader, n)
	for i := range readers {
		readers[i] = &sideReader{view: p.EventColumns()[0], filtered: positions(p, columns), loader: side.Loader(),
			selector: domain.NewCompiledFilters(conditions, columns)}
		if readers[i].derived, err = p.Evaluator(schema); err != nil {
			return nil, err
		}
	}
	return readers, nil
}

// add adds a batch of the table.
func (r *sideReader) add(b *table.Batch) error {
	b, err := r.derived.Extend(b)
	if err != nil {
		return err
	}
	logical := selectColumns(b, r.view, nil)
	filtered := selectColumns(logical, r.filtered, nil)
	if err := r.selector.Apply(filtered); err != nil {
		return err
	}
	logical.Keep = filtered.Keep
	return r.loader.Add(logical)
}

// addBatch adds a batch of the input to the accumulators, some rows at a time. If inspect is set, it also tallies the
// batch.
func (w *worker) addBatch(b *table.Batch, inspect bool) error {
	return b.Pieces(w.atOnce, func(b *table.Batch) error { return w.addRows(b, inspect) })
}

// addRows adds rows of the input to the accumulators: once, or once for each of the job's events. If inspect is set, it
// also tallies them.
func (w *worker) addRows(b *table.Batch, inspect bool) error {
	w.rows += int64(b.Rows)
	if inspect {
		w.inspection.Looked += int64(b.Rows)
	}
	b, err := w.derived.Extend(b)
	if err != nil {
		return err
	}
	for _, view := range w.views {
		logical := selectColumns(b, view, nil)
		filtered := selectColumns(logical, w.filtered, nil)
		if inspect {
			if err := w.inspection.Filters.Add(filtered); err != nil {
				return err
			}
		}
		if err := w.selector.Apply(filtered); err != nil {
			return err
		}
		keep := filtered.Keep
		if keep != nil && !inspect { // the tallies also count rows that filters drop, so do not compact the batch
			if kept := w.compactor.compact(logical, keep); kept != nil {
				logical, keep = kept, nil
			}
		}
		if err := w.units.add(logical, keep); err != nil {
			return err
		}
		if err := w.applyFilters(logical, keep, false); err != nil {
			return err
		}
		for q, a := range w.accumulators {
			if w.units.asked(q) {
				continue
			}
			if inspect && w.inspection.Queries[q].Filters != nil {
				if err := w.inspection.Queries[q].Filters.Add(selectColumns(logical, w.own[q].columns, keep)); err != nil {
					return err
				}
			}
			batch := selectColumns(logical, w.columns[q], keep)
			if own := w.own[q]; own != nil {
				batch.Keep = own.kept
			}
			if inspect {
				if err := w.inspection.Queries[q].Add(batch); err != nil {
					return err
				}
			}
			if err := a.Add(batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// selectColumns returns a batch of the columns at of b. It shares b's memory.
func selectColumns(b *table.Batch, at []int, keep []bool) *table.Batch {
	out := &table.Batch{Rows: b.Rows, Columns: make([]table.Column, len(at)), Keep: keep}
	for i, k := range at {
		out.Columns[i] = b.Columns[k]
	}
	return out
}

// mergeChecks merges the tallies of all workers; nil if there are none. The caller adds the counts of rows that bounds
// dropped later.
func mergeChecks(workers []*worker) *pipeline.DataChecks {
	first := workers[0].inspection
	if first == nil {
		return nil
	}
	for i, w := range workers {
		w.inspection.Rows, w.inspection.Skipped = w.rows, w.skipped
		if i > 0 {
			first.Merge(&w.inspection.DataChecks)
		}
	}
	return &first.DataChecks
}

package local

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/joined"
	"github.com/dprelease/dprelease/queries/problem"
)

// Several tables
//
// Tables are read one after the other, each for the queries that read it. If a table needs a join, the other table is
// read first into a side: records in memory, by join key, with a limited share of the memory. If the other table does
// not fit, the side holds a range of its records. Then both tables are read again for each next range, and a row meets
// each record in exactly one of the passes.

// Tables is an engine for a plan with several tables.
type Tables struct {
	of      []*Engine
	limits  Limits
	staging string
	side    int64 // memory in bytes for a join's side; 0 for a fraction of the memory for rows
}

// NewTables returns an engine for the tables of a plan, in the plan's order. Closing the engine closes them.
func NewTables(data []*source.Dataset, l Limits) *Tables {
	t := &Tables{limits: l}
	for _, d := range data {
		e := NewWithin(d, l)
		t.of = append(t.of, e)
		t.limits.Workers, t.limits.Ahead = e.limits.Workers, max(t.limits.Ahead, e.limits.Ahead)
	}
	return t
}

// UseScratch sets the folder for data that does not fit in memory, if the limits name none.
func (t *Tables) UseScratch(dir string) { t.staging = dir }

// Schema returns no columns: see TableSchemas.
func (t *Tables) Schema() table.Schema { return table.Schema{} }

// Refuses returns an error if two tables read the same file with different privacy units. If a unit of one table were
// removed, its rows would stay in the other table as rows of other units. The names in the job are not enough to see
// this: a file can have links, and patterns can match it.
func (t *Tables) Refuses(p *pipeline.Plan) error {
	names := p.Tables()
	for k := range names {
		for earlier := range k {
			if p.Job().TableUnit(names[k]) != p.Job().TableUnit(names[earlier]) && t.of[k].data.Shares(t.of[earlier].data) {
				return &problem.Error{Field: "input.tables." + names[k] + ".files", Code: "contradiction",
					Message: "table " + names[earlier] + " reads a file of this table too, with another unit: a row would be of one " +
						"unit in one table and of another one in the other",
					Hint: "the file can have several names, by links or patterns: give both tables the same unit or first join, or " +
						"other files"}
			}
		}
	}
	return nil
}

// TableSchemas returns the schemas of the tables.
func (t *Tables) TableSchemas() []table.Schema {
	out := make([]table.Schema, len(t.of))
	for k := range out {
		out[k] = t.schema(k)
	}
	return out
}

func (t *Tables) schema(k int) table.Schema { return t.of[k].Schema() }

// Close closes the tables.
func (t *Tables) Close() error {
	var failed []error
	for _, e := range t.of {
		failed = append(failed, e.Close())
	}
	return errors.Join(failed...)
}

// Aggregate reads the tables and answers all queries of the plan.
func (t *Tables) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	m, err := t.limits.share(p)
	if err != nil {
		return nil, err
	}
	first := *t.of[0]
	first.staging = t.staging
	spill := newScratch(ctx, first.scratchFolder(), m)
	a := &pipeline.Aggregates{Free: spill.Close}
	if err := t.aggregate(ctx, p, o, spill, a); err != nil || !p.Discovers() {
		a.Close() // the exact answers are not used after an error
		a.Free = nil
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// aggregate fills in the answers.
func (t *Tables) aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer, spill *scratch,
	a *pipeline.Aggregates) error {
	all := make([]*queries.Accumulator, len(p.Queries()))
	s := &tableScan{Tables: t, ctx: ctx, spill: spill, done: t.progress(p, o, pipeline.StageAggregate)}
	s.watch, _ = o.(pipeline.RowObserver)
	// All stores of rows join the spill before the first row is read, so that the share of each is known.
	of, schemas := make([][]*worker, len(t.of)), make([]table.Schema, len(t.of))
	for k := range t.of {
		var err error
		if of[k], schemas[k], err = s.workers(p.OfTable(k), k); err != nil {
			return err
		}
	}
	for k, workers := range of {
		if len(workers) == 0 {
			continue
		}
		if err := s.read(p.OfTable(k), schemas[k], k, workers); err != nil {
			return err
		}
		if err := aggregateOverUnits(workers); err != nil {
			return err
		}
		if err := merge(workers); err != nil {
			return err
		}
		seen := mergeChecks(workers)
		if seen != nil {
			if a.Checks == nil {
				a.Checks = &pipeline.DataChecks{Tables: make([]*pipeline.DataChecks, len(t.of))}
			}
			a.Checks.Tables[k] = seen
		}
		for i, number := range p.QueriesOf(k) {
			all[number] = workers[0].accumulators[i]
		}
	}
	var err error
	if a.Exacts, err = p.HideAllTotals(all); err != nil {
		return err
	}
	for k := range t.of {
		if a.Checks == nil || a.Checks.Tables[k] == nil {
			continue
		}
		for i, number := range p.QueriesOf(k) {
			setBounds(a.Checks.Tables[k], i, all[number])
		}
	}
	a.Input = inputDigest(s.sums)
	return nil
}

// progress returns a function that reports one more finished split of the first pass over any table.
func (t *Tables) progress(p *pipeline.Plan, o pipeline.Observer, stage pipeline.Stage) func() {
	splits := 0
	for k, e := range t.of {
		of := p.OfTable(k)
		if len(of.Queries()) == 0 {
			continue
		}
		splits += e.data.Splits()
		for _, j := range of.Joins() {
			splits += t.of[j.Table].data.Splits()
		}
	}
	return progress(o, stage, splits)
}

// tableScan is one scan of all tables.
type tableScan struct {
	*Tables
	ctx   context.Context
	spill *scratch
	done  func()
	watch pipeline.RowObserver
	sums  [][]byte                        // digests of the splits (parts of the input), collected in the first pass over each table
	whole map[*pipeline.Join]*joined.Side // sides that fit in memory, and so are read only once
}

// workers makes the workers for the queries of table k; none if it has no queries. schema is that of the table with the
// columns that joins add.
func (s *tableScan) workers(p *pipeline.Plan, k int) (workers []*worker, schema table.Schema, err error) {
	if len(p.Queries()) == 0 {
		return nil, schema, nil
	}
	schema, diags := p.Joined(s.schema(k), s.schema)
	if len(diags) > 0 {
		return nil, schema, diags
	}
	n := min(s.spill.memory.workers, max(s.of[k].data.Splits(), 1))
	workers, err = newWorkers(n, p, schema, s.spill, s.limits)
	return workers, schema, err
}

// read reads table k for its queries. schema is that of the table with the columns that joins add.
func (s *tableScan) read(p *pipeline.Plan, schema table.Schema, k int, workers []*worker) error {
	e := s.of[k]
	s.whole = map[*pipeline.Join]*joined.Side{}
	groups, err := e.splitReaderOf(p, schema)
	if err != nil {
		return err
	}
	groups.Memory = s.spill.memory.pages
	limit := cmp.Or(s.side, s.spill.memory.rows/2/int64(max(len(p.Joins()), 1)))
	return s.pass(p.Joins(), nil, limit, true, func(sides []*joined.Side, first bool) error {
		for _, w := range workers {
			w.joins = w.joins[:0]
			columns := p.Columns()
			for i, side := range sides {
				j := &p.Joins()[i]
				w.joins = append(w.joins, side.Rows(j.Own, columns, schema))
				columns = append(columns[:len(columns):len(columns)], j.As...)
			}
		}
		return s.scan(e, first, func(ctx context.Context, i, split int) ([]byte, error) {
			w, batch := workers[i], 0
			sum, err := groups.Read(ctx, split, p.Columns(), func(b *table.Batch) error {
				batch++
				if s.watch != nil {
					s.watch.Rows(b.Rows)
				}
				look := s.limits.Look.looksAt(split, e.data.Splits(), batch-1)
				return w.join(0, b, func(b *table.Batch) error { return w.addBatch(b, look) })
			})
			if first {
				w.rows += sum.Skipped
				w.skipped += sum.Skipped
			}
			return sum.Digest, err
		})
	})
}

// pass calls do for every combination of ranges of the joins' sides (see above). first is set for the first
// combination.
func (s *tableScan) pass(joins []pipeline.Join, sides []*joined.Side, limit int64, first bool,
	do func(sides []*joined.Side, first bool) error) error {
	if len(joins) == 0 {
		return do(sides, first)
	}
	for from, more := uint64(0), true; more; first = false {
		side := s.whole[&joins[0]]
		if side == nil {
			var err error
			if side, err = s.readSide(&joins[0], from, limit, first); err != nil {
				return err
			}
			if side.Whole() {
				s.whole[&joins[0]] = side
			}
		}
		if err := s.pass(joins[1:], append(sides[:len(sides):len(sides)], side), limit, first, do); err != nil {
			return err
		}
		from, more = side.Next()
	}
	return nil
}

// readSide reads the other table of a join into a side, from record number from on.
func (s *tableScan) readSide(j *pipeline.Join, from uint64, limit int64, first bool) (*joined.Side, error) {
	e, p := s.of[j.Table], j.Side
	logical, diags := p.LogicalSchema(e.Schema())
	if len(diags) > 0 {
		return nil, diags
	}
	side := joined.NewSide(joined.Form{Keys: j.Theirs, Add: j.Add, Units: j.Units, Columns: p.Logical(), Schema: logical},
		from, limit)
	readers, err := newSideReaders(min(s.spill.memory.workers, max(e.data.Splits(), 1)), p, e.Schema(), side)
	if err != nil {
		return nil, err
	}
	groups, err := e.splitReader(p)
	if err != nil {
		return nil, err
	}
	groups.Memory = s.spill.memory.pages
	err = s.scan(e, first, func(ctx context.Context, i, split int) ([]byte, error) {
		sum, err := groups.Read(ctx, split, p.Columns(), readers[i].add)
		return sum.Digest, err
	})
	if err != nil {
		return nil, err
	}
	side.Complete()
	return side, nil
}

// scan reads all splits of a table. In its first pass it also collects digests and reports progress.
func (s *tableScan) scan(e *Engine, first bool, read func(ctx context.Context, i, split int) ([]byte, error)) error {
	done := func() {}
	if first {
		done = s.done
	}
	sums, err := e.scanSome(s.ctx, min(s.spill.memory.workers, max(e.data.Splits(), 1)), splits{0, e.data.Splits()}, read,
		done)
	if first {
		s.sums = append(s.sums, sums...)
	}
	return err
}

// WrongMetadata does the same as [Engine.WrongMetadata] for all tables that are read, including those that only joins
// need.
func (t *Tables) WrongMetadata(ctx context.Context, p *pipeline.Plan) (wrong []source.FalseMetadata, err error) {
	for k, e := range t.of {
		of := p.OfTable(k)
		if len(of.Queries()) == 0 {
			continue
		}
		found, err := e.WrongMetadata(ctx, of)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, found...)
		for _, j := range of.Joins() {
			if found, err = t.of[j.Table].WrongMetadata(ctx, j.Side); err != nil {
				return nil, err
			}
			wrong = append(wrong, found...)
		}
	}
	return wrong, nil
}

// Digest hashes the bytes that Aggregate would read.
func (t *Tables) Digest(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) ([]byte, error) {
	s := &tableScan{Tables: t, ctx: ctx, done: t.progress(p, o, pipeline.StageCompare),
		spill: &scratch{memory: memory{workers: t.limits.Workers, rows: math.MaxInt64}}}
	digest := func(e *Engine, p *pipeline.Plan, schema table.Schema) error {
		groups, err := e.splitReaderOf(p, schema)
		if err != nil {
			return err
		}
		return s.scan(e, true, func(ctx context.Context, _, split int) ([]byte, error) {
			return groups.Digest(ctx, split, p.Columns())
		})
	}
	for k, e := range t.of {
		of := p.OfTable(k)
		if len(of.Queries()) == 0 {
			continue
		}
		schema, diags := of.Joined(e.Schema(), t.schema)
		if len(diags) > 0 {
			return nil, diags
		}
		for _, j := range of.Joins() {
			if err := digest(t.of[j.Table], j.Side, t.schema(j.Table)); err != nil {
				return nil, err
			}
		}
		if err := digest(e, of, schema); err != nil {
			return nil, err
		}
	}
	return inputDigest(s.sums), nil
}

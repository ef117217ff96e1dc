// Package local computes a plan's exact answers on this machine, in one streaming pass over the input with one worker
// per core. New makes an engine for one table, and NewTables an engine for several.
package local

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// Engine computes answers from a dataset with limited resources. The answers do not depend on the limits.
type Engine struct {
	data    *source.Dataset
	limits  Limits
	staging string
	tight   *memory // replaces the limits in tests
	stated  *stated
}

// stated caches facts about the input's files, which the headers of partial aggregates contain.
type stated struct {
	mu    sync.Mutex
	files []partial.File // nil until first needed
}

var (
	_ pipeline.Engine    = (*Engine)(nil)
	_ pipeline.Scratcher = (*Engine)(nil)
)

// New returns an engine over data. Closing the engine closes data. It uses at least one worker.
func New(data *source.Dataset, workers int) *Engine { return NewWithin(data, Limits{Workers: workers}) }

// NewWithin returns an engine over data that keeps to some limits. Closing the engine closes data.
func NewWithin(data *source.Dataset, l Limits) *Engine {
	l.Workers, l.Ahead = max(l.Workers, 1), data.AheadBytes()
	return &Engine{data: data, limits: l, stated: &stated{}}
}

// UseScratch sets the folder for data that does not fit in memory. It has no effect if the limits name a folder.
func (e *Engine) UseScratch(dir string) { e.staging = dir }

// scratch returns the memory and the scratch file for one scan.
func (e *Engine) scratch(ctx context.Context, p *pipeline.Plan) (*scratch, error) {
	m, err := e.limits.share(p)
	if err != nil {
		return nil, err
	}
	if e.tight != nil {
		m = *e.tight
	}
	return newScratch(ctx, e.scratchFolder(), m), nil
}

func (e *Engine) scratchFolder() string { return cmp.Or(e.limits.Scratch, e.staging, os.TempDir()) }

// Schema returns the input's schema.
func (e *Engine) Schema() table.Schema { return e.data.Schema() }

// Close closes the input.
func (e *Engine) Close() error { return e.data.Close() }

// Aggregate reads every split once and answers all queries of the plan.
func (e *Engine) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	spill, err := e.scratch(ctx, p)
	if err != nil {
		return nil, err
	}
	a := &pipeline.Aggregates{Free: spill.Close}
	if err := e.aggregate(ctx, p, o, spill, a); err != nil || !p.Discovers() {
		a.Close() // the exact answers are not used after an error
		a.Free = nil
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// aggregate fills in the answers: one pass over the splits, then padding with the rows that input.rows declares but the
// input lacks (padToDeclaredRows), then a pass over the table of units for queries with over: units
// (aggregateOverUnits).
func (e *Engine) aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer, spill *scratch,
	a *pipeline.Aggregates) error {
	workers, sums, err := e.readSplits(ctx, p, o, spill, splits{0, e.data.Splits()})
	if err != nil {
		return err
	}
	if err := padToDeclaredRows(p, e.data.Schema(), workers); err != nil {
		return err
	}
	if err := aggregateOverUnits(workers); err != nil {
		return err
	}
	seen := mergeChecks(workers)
	if a.Exacts, err = hideTotals(p, workers, seen); err != nil {
		return err
	}
	a.Input, a.Checks = inputDigest(sums), seen
	return nil
}

// splits is a range of splits from ≤ i < to. A split is a piece of the input that is read at once, such as a Parquet
// row group.
type splits struct{ from, to int }

// readSplits reads some splits with several workers. sums are the digests of the splits, in order.
func (e *Engine) readSplits(ctx context.Context, p *pipeline.Plan, o pipeline.Observer, spill *scratch,
	of splits) (workers []*worker, sums [][]byte, err error) {
	n := min(spill.memory.workers, max(of.to-of.from, 1))
	if workers, err = newWorkers(n, p, e.data.Schema(), spill, e.limits); err != nil {
		return nil, nil, err
	}
	groups, err := e.splitReader(p)
	if err != nil {
		return nil, nil, err
	}
	groups.End, groups.Memory = of.to, spill.memory.pages
	watch, _ := o.(pipeline.RowObserver)
	sums, err = e.scanSome(ctx, len(workers), of, func(ctx context.Context, i, split int) ([]byte, error) {
		w, batch := workers[i], 0
		sum, err := groups.Read(ctx, split, p.Columns(), func(b *table.Batch) error {
			batch++
			if watch != nil {
				watch.Rows(b.Rows)
			}
			return w.addBatch(b, e.limits.Look.looksAt(split, e.data.Splits(), batch-1))
		})
		w.rows += sum.Skipped
		w.skipped += sum.Skipped
		w.blanks += sum.Blank
		return sum.Digest, err
	}, progress(o, pipeline.StageAggregate, of.to-of.from))
	return workers, sums, err
}

// Digest hashes the bytes that Aggregate would read.
func (e *Engine) Digest(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) ([]byte, error) {
	groups, err := e.splitReader(p)
	if err != nil {
		return nil, err
	}
	return e.scan(ctx, e.limits.Workers, func(ctx context.Context, _, split int) ([]byte, error) {
		return groups.Digest(ctx, split, p.Columns())
	}, progress(o, pipeline.StageCompare, e.data.Splits()))
}

// scan calls read for each of n splits, with several workers, and returns the input's digest.
func (e *Engine) scan(ctx context.Context, n int, read func(context.Context, int, int) ([]byte, error),
	done func()) ([]byte, error) {
	sums, err := e.scanSome(ctx, n, splits{0, e.data.Splits()}, read, done)
	if err != nil {
		return nil, err
	}
	return inputDigest(sums), nil
}

// scanSome calls read(ctx, worker, split) for some splits. Each of n workers takes the next split when it is free. It
// returns the results in the order of the splits.
func (e *Engine) scanSome(ctx context.Context, n int, of splits, read func(context.Context, int, int) ([]byte, error),
	done func()) ([][]byte, error) {
	sums := make([][]byte, of.to-of.from)
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for i := range n {
		g.Go(func() error {
			for {
				at := int(next.Add(1)) - 1
				if at >= len(sums) {
					return nil
				}
				sum, err := read(ctx, i, of.from+at)
				if err != nil {
					return err
				}
				sums[at] = sum
				done()
			}
		})
	}
	return sums, g.Wait()
}

// inputDigest returns the digest of the input: the SHA-256 of the digests of all splits, in order.
func inputDigest(sums [][]byte) []byte {
	h := sha256.New()
	for _, sum := range sums {
		writeFramed(h, sum)
	}
	return h.Sum(nil)
}

// writeFramed writes the length of b, then b, so that different lists of digests give different bytes.
func writeFramed(h hash.Hash, b []byte) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(b)))
	h.Write(length[:])
	h.Write(b)
}

// progress returns a function that reports one more finished split to o.
func progress(o pipeline.Observer, s pipeline.Stage, total int) func() {
	o.Progress(s, 0, total)
	var n atomic.Int64
	return func() { o.Progress(s, int(n.Add(1)), total) }
}

// hideTotals merges the workers' accumulators and hides their totals as exact answers. If c is not nil, it also copies
// to c the counts of rows that bounds dropped.
func hideTotals(p *pipeline.Plan, workers []*worker, c *pipeline.DataChecks) ([][]mechanism.Exact, error) {
	if err := merge(workers); err != nil {
		return nil, err
	}
	all := workers[0].accumulators
	exacts, err := p.HideAllTotals(all)
	if err != nil {
		return nil, fmt.Errorf("hide the totals: %w", err)
	}
	for q, a := range all {
		setBounds(c, q, a)
	}
	return exacts, nil
}

// merge merges all workers' accumulators into the first worker's. It must finish before an answer is hidden, because
// queries may share the rows of units.
func merge(workers []*worker) error {
	first := workers[0]
	for q, a := range first.accumulators {
		for _, w := range workers[1:] {
			if err := a.Merge(w.accumulators[q]); err != nil {
				return fmt.Errorf("merge: %w", err)
			}
			w.accumulators[q] = nil
		}
	}
	return nil
}

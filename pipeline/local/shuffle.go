package local

import (
	"context"
	"errors"
	"io"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// Engines that shuffle
//
// An engine such as Apache Beam runs three functions on its own machines. Pack reads a range of splits and sends the
// rows of units to buckets: all rows of a unit go to the same bucket. BoundBucket bounds the units of one bucket.
// Together adds up the answers. Private state passes between them in the encrypted messages of package partial.

// Splits returns how many splits the input has.
func (e *Engine) Splits() int { return e.data.Splits() }

// Pack reads the splits i with from ≤ i < to and passes their contributions to emit, in encrypted messages. Buckets 0
// to buckets-1 get rows of units; the last message is for bucket number buckets and holds everything else. program is
// the version of the program.
func (e *Engine) Pack(ctx context.Context, p *pipeline.Plan, k partial.Key, program string, from, to, buckets int,
	emit func(bucket int, message []byte)) error {
	spill, err := e.scratch(ctx, p)
	if err != nil {
		return err
	}
	defer func() { _ = spill.Close() }() // the contents are no longer needed
	said, workers, err := e.readShard(ctx, p, pipeline.Silent{}, spill, splits{from, to})
	if err != nil {
		return err
	}
	said.Program = program
	return k.Pack(*said, workers[0].accumulators, buckets, emit)
}

// readShard reads some splits. The totals that need no bounding are merged into the first worker.
func (e *Engine) readShard(ctx context.Context, p *pipeline.Plan, o pipeline.Observer, spill *scratch,
	of splits) (*partial.PartHeader, []*worker, error) {
	if err := p.CheckParts(); err != nil {
		return nil, nil, err
	}
	files, err := e.files()
	if err != nil {
		return nil, nil, err
	}
	said := &partial.PartHeader{Run: p.Fingerprint(), From: of.from, To: of.to, Files: files,
		Schema: e.data.Schema().Fields}
	workers, sums, err := e.readSplits(ctx, p, o, spill, of)
	if err != nil {
		return nil, nil, err
	}
	said.Digests = sums
	for _, w := range workers {
		said.Rows += w.rows
		said.Blanks += w.blanks
	}
	return said, workers, merge(workers)
}

// BoundBucket reads the messages of one bucket from next until its error is io.EOF, bounds the bucket's units and
// returns the totals as a message. The error is partial.ErrLost if a message belongs to another bucket.
func BoundBucket(ctx context.Context, p *pipeline.Plan, schema table.Schema, k partial.Key, l Limits, bucket int,
	next func() ([]byte, error)) ([]byte, error) {
	var out []byte
	err := withWorker(ctx, p, schema, l, func(w *worker) error {
		blocks := int64(0)
		err := eachMessage(k, next, func(m *partial.Message) error {
			blocks++
			return m.LoadRows(w.accumulators, bucket)
		})
		if err == nil {
			out, err = k.Bounded(bucket, blocks, w.accumulators)
		}
		return err
	})
	return out, err
}

// Together reads the messages of Pack and BoundBucket from next until its error is io.EOF. It writes their sum as the
// part of a single shard. Errors: partial.ErrLost if messages are missing or occur twice, and the errors of w.
func Together(ctx context.Context, p *pipeline.Plan, schema table.Schema, k partial.Key, l Limits,
	next func() ([]byte, error), w io.Writer) error {
	return withWorker(ctx, p, schema, l, func(all *worker) error {
		var t partial.Tally
		err := eachMessage(k, next, func(m *partial.Message) error {
			if err := t.Add(m); err != nil {
				return err
			}
			return m.LoadTotals(all.accumulators)
		})
		if err != nil {
			return err
		}
		said, err := t.Header()
		if err != nil {
			return err
		}
		return partial.Write(w, k, said, all.accumulators)
	})
}

// withWorker calls do with a new worker that has read no rows.
func withWorker(ctx context.Context, p *pipeline.Plan, schema table.Schema, l Limits, do func(*worker) error) error {
	e := Engine{limits: l}
	spill, err := e.scratch(ctx, p)
	if err != nil {
		return err
	}
	defer func() { _ = spill.Close() }() // the contents are no longer needed
	workers, err := newWorkers(1, p, schema, spill, l)
	if err != nil {
		return err
	}
	return do(workers[0])
}

// eachMessage decrypts the messages that next returns and passes them to do.
func eachMessage(k partial.Key, next func() ([]byte, error), do func(*partial.Message) error) error {
	opener := partial.NewOpener(k)
	for {
		message, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		m, err := opener.Message(message)
		if err == nil {
			err = do(m)
		}
		if err != nil {
			return err
		}
	}
}

package local

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/partial"
	"github.com/dprelease/dprelease/queries"
)

// Merged is an engine that reads no rows: it computes a plan's answers from the partial aggregates (parts) that shards
// have written.
type Merged struct {
	parts  []part // in the order of their numbers
	key    partial.Key
	engine Engine // holds the limits and the scratch folder
}

// part is a file with a partial aggregate, and its header.
type part struct {
	path string
	partial.PartHeader
}

// number returns the part's number n, the number of all parts, and the word for them in messages: shards or, after
// MergePartition, partitions.
func (x *part) number() (of string, n, all int) {
	if x.Bounded {
		return "partition", x.Partition, x.Partitions
	}
	return "shard", x.Shard, x.Of
}

var (
	_ pipeline.Engine    = (*Merged)(nil)
	_ pipeline.Scratcher = (*Merged)(nil)
)

// OpenParts opens the parts of one run of a plan, in any order: the parts of all shards, or all parts that
// MergePartition wrote. It compares their headers, which must belong to this plan, this version of the program and one
// table. Each number must occur once. program is the version of the program.
func OpenParts(paths []string, k partial.Key, p *pipeline.Plan, program string, l Limits) (*Merged, error) {
	m, err := openParts(paths, k, l)
	if err != nil {
		return nil, err
	}
	for i := range m.parts {
		if x := &m.parts[i]; x.Partitions > 0 && !x.Bounded {
			return nil, partsFault("shard-foreign", fmt.Sprintf("%s has only the units of partition %d of %d",
				filepath.Base(x.path),
				x.Partition, x.Partitions), hintPartitions)
		}
	}
	return m, m.agree(p, program)
}

// Partition identifies one of several partitions of the units: Number from 1 to Of.
type Partition struct{ Number, Of int }

// MergePartition merges one partition of the units from all shards: it reads the shards' files of this partition,
// bounds the units, and writes the resulting part to w. It charges nothing and needs no ledger.
func MergePartition(ctx context.Context, paths []string, k partial.Key, p *pipeline.Plan, program string, of Partition,
	l Limits, o pipeline.Observer, w io.Writer) error {
	m, err := openParts(paths, k, l)
	if errors.Is(err, pipeline.ErrInputGone) {
		return partsFault("shard-missing", filepath.Base(paths[0])+" is not there", hintMissing)
	}
	if err != nil {
		return err
	}
	for i := range m.parts {
		if x := &m.parts[i]; x.Bounded || x.Partition != of.Number || x.Partitions != of.Of {
			return partsFault("shard-foreign", fmt.Sprintf("%s is not of a shard's partition %d of %d", filepath.Base(x.path),
				of.Number, of.Of), hintPartitions)
		}
	}
	if err := m.agree(p, program); err != nil {
		return err
	}
	spill, err := m.engine.scratch(ctx, p)
	if err != nil {
		return err
	}
	defer func() { _ = spill.Close() }() // the contents are no longer needed
	workers, err := m.loadAll(ctx, p, o, spill)
	if err != nil {
		return err
	}
	if err := merge(workers); err != nil {
		return err
	}
	if err := queries.Bound(workers[0].accumulators); err != nil {
		return err
	}
	said := m.parts[0].PartHeader
	said.Bounded, said.Shard, said.Of, said.From, said.To = true, 1, 1, 0, said.Splits()
	said.Digests, said.Rows, said.Blanks = m.digests(), 0, 0
	for i := range m.parts {
		said.Rows += m.parts[i].Rows
		said.Blanks += m.parts[i].Blanks
	}
	return partial.Write(w, k, &said, workers[0].accumulators)
}

// openParts reads the headers of the files.
func openParts(paths []string, k partial.Key, l Limits) (*Merged, error) {
	l.Workers = max(l.Workers, 1)
	m := &Merged{key: k, engine: Engine{limits: l}}
	var absent []string
	for _, path := range paths {
		x, err := readHeader(path, k)
		if errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, filepath.Base(path))
			continue
		}
		if err != nil {
			return nil, partError(path, err)
		}
		m.parts = append(m.parts, x)
	}
	switch {
	case absent != nil && len(absent) == len(paths):
		return nil, pipeline.ErrInputGone
	case absent != nil:
		return nil, partsFault("shard-missing", absent[0]+" is not there", hintMissing)
	case len(paths) == 0:
		return nil, partsFault("shard-missing", "there is no part to merge", hintMissing)
	}
	slices.SortStableFunc(m.parts, func(a, b part) int {
		_, x, _ := a.number()
		_, y, _ := b.number()
		return cmp.Compare(x, y)
	})
	return m, nil
}

const (
	hintMissing = "run release aggregate for the shards that are missing, with the same key, and merge all files"
	hintForeign = "aggregate all shards again: with one job, one state of its files, one version of this program and " +
		"one key"
	hintPartitions = "release aggregate --partitions M writes M files for each shard; release merge --partition I/M " +
		"takes the I-th of all shards; and release merge takes the M files that these write"
)

func partsFault(code, message, hint string) error {
	return &pipeline.Error{Cause: pipeline.CauseInput, Code: code, Message: message, Hint: hint}
}

// partError returns the error for a file that cannot be used. It quotes nothing from the file.
func partError(path string, err error) error {
	name := filepath.Base(path)
	switch {
	case errors.Is(err, partial.ErrFormat):
		return partsFault("shard-foreign", name+" is not a partial aggregate",
			"name the files that release aggregate wrote, and no others")
	case errors.Is(err, partial.ErrVersion):
		return partsFault("shard-foreign", name+" was written by another version of this program", hintForeign)
	case errors.Is(err, partial.ErrOtherKey):
		return partsFault("shard-foreign", name+" is encrypted with the key of another run",
			"name the key with which it was made, or aggregate the shard again with this key")
	case errors.Is(err, partial.ErrDamaged):
		return partsFault("shard-damaged", name+" was damaged or cut off, or is not from a shard of this run",
			"copy the file again, or aggregate its shard again; a file is complete when release aggregate has ended with exit "+
				"code 0")
	}
	var known *pipeline.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) {
		return err
	}
	return partsFault("shard-damaged", name+" can't be read: "+regular.Reason(err), "look at the file and its permissions")
}

// readHeader reads the header of a file.
func readHeader(path string, k partial.Key) (part, error) {
	f, err := regular.Open(path)
	if err != nil {
		return part{}, err
	}
	defer f.Close()
	r, err := partial.NewReader(f, k)
	if err != nil {
		return part{}, err
	}
	return part{path, r.PartHeader}, nil
}

// agree returns an error unless the headers of the parts, sorted by number, belong to one run of the plan.
func (m *Merged) agree(p *pipeline.Plan, program string) error {
	first := &m.parts[0]
	of, last, all := first.number()
	missing := 0 // the lowest missing number
	for i := range m.parts {
		x := &m.parts[i]
		xOf, number, xAll := x.number()
		name := filepath.Base(x.path)
		switch {
		case x.Run != p.Fingerprint():
			return partsFault("shard-foreign", name+" is of another job, or of this job with another question or other "+
				"parameters", hintForeign)
		case x.Program != program:
			return partsFault("shard-foreign", fmt.Sprintf("%s was written by version %s of this program, which is version %s",
				name, x.Program, program), hintForeign)
		case xOf != of || xAll != all:
			return partsFault("shard-foreign", fmt.Sprintf("%s is one of %d %ss, and %s one of %d %ss",
				filepath.Base(first.path),
				all, of, name, xAll, xOf), hintForeign)
		case !x.SameTable(&first.PartHeader) || x.Bounded && !slices.EqualFunc(x.Digests, first.Digests, bytes.Equal):
			return partsFault("shard-foreign", filepath.Base(first.path)+" and "+name+" are not of the same table: its files "+
				"are others, or were changed in between", hintForeign)
		case i > 0 && number == last:
			return partsFault("shard-twice", fmt.Sprintf("%s and %s are both %s %d of %d", filepath.Base(m.parts[i-1].path),
				name, of, number, all), "its rows would count twice; name one of the files")
		}
		if number != i+1 && missing == 0 {
			missing = i + 1
		}
		last = number
	}
	if n := len(m.parts); n < all && missing == 0 {
		missing = n + 1
	}
	if missing == 0 {
		return nil
	}
	hint := hintMissing
	if first.Bounded {
		hint = "run release merge --partition for the partitions that are missing, with the same key, and merge all files"
	}
	return partsFault("shard-missing", fmt.Sprintf("%s %d of %d is not among the files; %d are there", of, missing, all,
		len(m.parts)), hint)
}

// Schema returns the input's schema.
func (m *Merged) Schema() table.Schema { return table.Schema{Fields: m.parts[0].Schema} }

// UseScratch sets the folder for data that does not fit in memory, if the limits name none.
func (m *Merged) UseScratch(dir string) { m.engine.UseScratch(dir) }

// Close does nothing, because no file stays open between calls.
func (m *Merged) Close() error { return nil }

// Digest returns the digest of the input, computed from the digests of splits in the parts' headers.
func (m *Merged) Digest(context.Context, *pipeline.Plan, pipeline.Observer) ([]byte, error) {
	return inputDigest(m.digests()), nil
}

// digests returns the digests of all splits, in order.
func (m *Merged) digests() (all [][]byte) {
	if m.parts[0].Bounded { // a bounded part has the digests of all splits
		return m.parts[0].Digests
	}
	for i := range m.parts {
		all = append(all, m.parts[i].Digests...)
	}
	return all
}

// Aggregate merges the parts, bounds the rows of units, and returns what [Engine.Aggregate] would return for the whole
// input.
func (m *Merged) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	spill, err := m.engine.scratch(ctx, p)
	if err != nil {
		return nil, err
	}
	a := &pipeline.Aggregates{Free: spill.Close}
	if err := m.aggregate(ctx, p, o, spill, a); err != nil || !p.Discovers() {
		a.Close() // the exact answers are not used after an error
		a.Free = nil
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// aggregate fills in the answers.
func (m *Merged) aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer, spill *scratch,
	a *pipeline.Aggregates) (err error) {
	workers, err := m.loadAll(ctx, p, o, spill)
	if err != nil {
		return err
	}
	if err := padToDeclaredRows(p, m.Schema(), workers); err != nil {
		return err
	}
	if a.Exacts, err = hideTotals(p, workers, nil); err != nil {
		return err
	}
	a.Input, err = m.Digest(ctx, p, o)
	return err
}

// loadAll returns workers whose accumulators hold all parts.
func (m *Merged) loadAll(ctx context.Context, p *pipeline.Plan, o pipeline.Observer,
	spill *scratch) ([]*worker, error) {
	workers, err := newWorkers(min(spill.memory.workers, len(m.parts)), p, m.Schema(), spill, Limits{})
	if err != nil {
		return nil, err
	}
	return workers, m.load(ctx, workers, progress(o, pipeline.StageAggregate, len(m.parts)))
}

// load adds the parts to the workers' accumulators. Each worker takes the next part when it is free.
func (m *Merged) load(ctx context.Context, workers []*worker, done func()) error {
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for _, w := range workers {
		g.Go(func() error {
			for {
				at := int(next.Add(1)) - 1
				if at >= len(m.parts) {
					return nil
				}
				if err := m.loadPart(ctx, w, &m.parts[at]); err != nil {
					return partError(m.parts[at].path, err)
				}
				done()
			}
		})
	}
	return g.Wait()
}

// loadPart adds one part to a worker's accumulators. It returns an error if the header has changed since it was opened.
func (m *Merged) loadPart(ctx context.Context, w *worker, x *part) error {
	f, err := regular.Open(x.path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := partial.NewReader(contextReader{ctx, f}, m.key)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(r.PartHeader, x.PartHeader) {
		return partial.ErrDamaged
	}
	w.rows += r.Rows
	w.blanks += r.Blanks
	return r.Load(w.accumulators)
}

// contextReader fails when its context has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

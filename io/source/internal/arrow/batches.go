package arrow

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// batchScan reads some columns of the record batches of a split, and yields their rows. If yield is nil, it decodes
// nothing and only computes the split's digest.
type batchScan struct {
	ctx    context.Context
	file   *file
	f      scan.Handle
	used   []int // indexes of the requested columns in file.columns, each once, in the order of the file
	order  []int // the i-th requested column is column used[order[i]] of the file
	dicts  []*dictionary
	codecs codecs
	h      hash.Hash
	yield  func(*table.Batch) error
}

func (a *file) newScan(ctx context.Context, f scan.Handle, split int, columns []string) *batchScan {
	s := &batchScan{ctx: ctx, file: a, f: f, h: sha256.New()}
	at := make([]int, len(columns))
	for i, name := range columns {
		at[i] = slices.IndexFunc(a.columns, func(c column) bool { return c.field.Name == name })
	}
	s.used = slices.Compact(slices.Sorted(slices.Values(at)))
	for _, i := range at {
		n, _ := slices.BinarySearch(s.used, i)
		s.order = append(s.order, n)
	}
	s.dicts = make([]*dictionary, len(s.used))
	s.h.Write([]byte("dprelease arrow 1\n"))
	s.h.Write(a.seal[:])
	s.h.Write(binary.BigEndian.AppendUint64(nil, uint64(split)))
	return s
}

// blocks reads the record batches of a file's split.
func (s *batchScan) blocks(split int) error {
	metadata := false
	if s.file.Remote != nil {
		var parts []scan.Extent
		parts, metadata = s.file.parts(split)
		s.f.Expect(parts...)
	}
	if err := s.readFileDictionaries(); err != nil {
		return err
	}
	var next *openBatch
	for i, all := 0, s.file.groups[split]; i < len(all); i++ {
		now, err := next, error(nil)
		if now == nil {
			now, err = s.block(&all[i], metadata)
		}
		if next = nil; err == nil && metadata && i+1 < len(all) {
			next, err = s.block(&all[i+1], metadata)
		}
		if err == nil {
			err = s.read(now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// block opens a record batch of a file. If only the batch's metadata was fetched ahead, block starts to fetch the
// buffers of the requested columns.
func (s *batchScan) block(b *block, metadata bool) (*openBatch, error) {
	m, err := b.message(s.f, headRecords)
	if err != nil {
		return nil, err
	}
	o, err := s.open(m)
	if err != nil || s.file.Remote == nil {
		return o, err
	}
	parts := extents(o.readers)
	unused := b.meta + b.body
	for _, p := range parts {
		unused -= p.Size
	}
	s.file.unused.Store(unused)
	if metadata {
		s.f.Expect(parts...)
	}
	return o, nil
}

// stream reads the messages of a stream.
func (s *batchScan) stream() error {
	for at := s.file.start; ; {
		m, err := readMessage(s.f, at, s.file.Size)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch m.kind() {
		case headRecords:
			err = s.records(m)
		case headDictionary:
			err = s.readStreamDictionary(m)
		default:
			err = fault.New(fault.CodeDamaged, "a message is of no kind that a stream may hold")
		}
		if err != nil {
			return err
		}
		at = m.body + m.size
	}
}

func (s *batchScan) origin() origin { return origin{s.ctx, s.f, s.file.MAC, &s.codecs} }

// guardColumn runs f and adds the name of column i to its error.
func (s *batchScan) guardColumn(i int, f func() error) error {
	err := fault.Guard(f)
	var e *fault.Error
	if errors.As(err, &e) && e.Column == "" {
		e.Column = s.file.columns[s.used[i]].field.Name
	}
	return err
}

// openBatch is a record batch whose columns can be read.
type openBatch struct {
	message *message
	rows    int64
	readers []*arrayReader
}

// open decodes the metadata of a record batch.
func (s *batchScan) open(m *message) (*openBatch, error) {
	b, err := m.records(m.table.table(slotHeader))
	if err != nil {
		return nil, err
	}
	readers, err := s.readers(b)
	return &openBatch{m, b.rows, readers}, err
}

// records reads a record batch of a stream, and yields its rows.
func (s *batchScan) records(m *message) error {
	o, err := s.open(m)
	if err != nil {
		return err
	}
	return s.read(o)
}

// read yields the rows of a record batch, and adds the batch's digest to the split's.
func (s *batchScan) read(o *openBatch) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.yield != nil {
		if err := s.rows(o.rows, o.readers); err != nil {
			return err
		}
	}
	meta := sha256.Sum256(o.message.meta)
	s.h.Write(meta[:])
	for i, r := range o.readers {
		if err := s.guardColumn(i, func() error { return s.sums(r) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *batchScan) readers(b *recordBatch) ([]*arrayReader, error) {
	parts, err := b.arrays(s.file.types)
	if err != nil {
		return nil, err
	}
	out := make([]*arrayReader, len(s.used))
	for i, at := range s.used {
		err := s.guardColumn(i, func() (err error) {
			if s.file.columns[at].isCoded() && s.dicts[i] == nil {
				s.dicts[i] = emptyDictionary()
			}
			build := builder{from: s.origin(), batch: b, dict: s.dicts[i], exact: s.file.columns[s.used[i]].exact}
			c := &s.file.columns[at]
			out[i], err = build.reader(&parts[c.top], c.path)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rows yields the remaining rows of a record batch; left is their number.
func (s *batchScan) rows(left int64, readers []*arrayReader) error {
	taken := make([]table.Column, len(readers))
	b := &table.Batch{Columns: make([]table.Column, len(s.order))}
	for left > 0 {
		n, err := s.ready(int(min(left, int64(scan.RowsOf(len(readers))))), readers)
		if err != nil {
			return err
		}
		for i, r := range readers {
			err := s.guardColumn(i, func() (err error) { taken[i], err = r.nextRows(n); return err })
			if err != nil {
				return err
			}
		}
		b.Rows = n
		for i, at := range s.order {
			b.Columns[i] = taken[at]
		}
		if err := s.yield(b); err != nil {
			return err
		}
		left -= int64(n)
	}
	for i, r := range readers {
		if err := s.guardColumn(i, r.end); err != nil {
			return err
		}
	}
	return nil
}

// ready returns how many rows, at most n, the caller can now take from every reader.
func (s *batchScan) ready(n int, readers []*arrayReader) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	for i, r := range readers {
		err := s.guardColumn(i, func() (err error) { n, err = r.ready(n); return err })
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// sums adds the digests of a reader's buffers to the split's digest.
func (s *batchScan) sums(r *arrayReader) error {
	for _, b := range r.buffers {
		sum, err := b.sum()
		if err != nil {
			return err
		}
		s.h.Write(sum)
	}
	return nil
}

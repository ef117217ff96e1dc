package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// groupScan reads some columns of one row group.
type groupScan struct {
	ctx     context.Context
	file    *file
	group   int
	readers []*columnReader // a reader for each requested column, without repetitions, in the order of the file
	order   []int           // the i-th requested column is read by readers[order[i]]
	shared  *sharedMemory
}

// leavesOf returns, for each requested column, the index of its leaf (at), and the leaves to read, each once (used). If
// no column is requested, it returns one leaf to read, only to count the rows: the leaf that is probably shortest.
func (p *file) leavesOf(columns []string) (at, used []int, err error) {
	at = make([]int, len(columns))
	for i, name := range columns {
		at[i] = slices.IndexFunc(p.leaves, func(l leaf) bool { return l.field.Name == name })
	}
	used = slices.Compact(slices.Sorted(slices.Values(at)))
	if len(columns) == 0 {
		counted, err := p.countedLeaf()
		return nil, []int{counted}, err
	}
	return at, used, nil
}

// Fetch begins to fetch the column chunks of a row group from the store. It reports whether it began; it never does for
// a local file.
func (p *file) Fetch(split int, columns []string) bool {
	if p.Remote == nil {
		return false
	}
	_, used, err := p.leavesOf(columns)
	if err != nil {
		return false // Read returns this error
	}
	parts := make([]scan.Extent, len(used))
	for i, l := range used {
		c := &p.groups[split].chunks[p.leaves[l].chunk]
		parts[i] = scan.Extent{At: c.start, Size: c.size}
	}
	return p.Remote.Fetch(parts...)
}

// newScan returns a scan of some columns of a row group, within some bytes of memory (scan.File). It first checks what
// the footer states about the columns' chunks.
func (p *file) newScan(ctx context.Context, f scan.Handle, group int, columns []string, memory int64) (*groupScan,
	error) {
	s := &groupScan{ctx: ctx, file: p, group: group}
	at, used, err := p.leavesOf(columns)
	if err != nil {
		return nil, err
	}
	s.shared = newSharedMemory(memory, len(used))
	rows := p.groups[group].rows
	for _, i := range used {
		l := &p.leaves[i]
		c := &p.groups[group].chunks[l.chunk]
		if err := c.check(l, rows, p.end); err != nil {
			return nil, s.addPlace(err, l)
		}
		s.readers = append(s.readers, newColumnReader(l, c, rows, scan.NewSection(ctx, f, p.MAC, c.start, c.start+c.size),
			s.shared))
	}
	parts := make([]scan.Extent, len(s.readers))
	for i, r := range s.readers {
		parts[i] = scan.Extent{At: r.pages.section.At, Size: r.pages.left}
	}
	f.Expect(parts...)
	for _, i := range at {
		n, _ := slices.BinarySearch(used, i)
		s.order = append(s.order, n)
	}
	return s, nil
}

// addPlace adds the row group and the column to an error of package fault.
func (s *groupScan) addPlace(err error, l *leaf) error {
	var e *fault.Error
	if errors.As(err, &e) {
		e.RowGroup, e.Column = s.group, l.field.Name
	}
	return err
}

func (s *groupScan) run(yield func(*table.Batch) error) error {
	b := &table.Batch{Columns: make([]table.Column, len(s.order))}
	taken := make([]table.Column, len(s.readers))
	total := s.file.groups[s.group].rows
	for row := int64(0); ; row += int64(b.Rows) {
		if row == total {
			return s.each(func(_ int, r *columnReader) error { return r.end() })
		}
		var err error
		if b.Rows, err = s.ready(int(min(total-row, int64(scan.RowsOf(len(s.readers)))))); err != nil {
			return err
		}
		if err := s.nextRows(b.Rows, taken); err != nil {
			return err
		}
		for i, at := range s.order {
			b.Columns[i] = taken[at]
		}
		if err := yield(b); err != nil {
			return err
		}
	}
}

// ready returns how many rows can be taken from every column, at most n.
func (s *groupScan) ready(n int) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	err := s.each(func(_ int, r *columnReader) error {
		have, err := r.ready()
		n = min(n, have)
		if errors.Is(err, io.EOF) {
			return tooFew()
		}
		return err
	})
	return n, err
}

// nextRows stores the next n rows of every column in to.
func (s *groupScan) nextRows(n int, to []table.Column) error {
	return s.each(func(i int, r *columnReader) error {
		to[i] = r.nextRows(n)
		return nil
	})
}

// each calls f for every reader. It adds the column's name to an error of f.
func (s *groupScan) each(f func(int, *columnReader) error) error {
	for i, r := range s.readers {
		if err := fault.Guard(func() error { return f(i, r) }); err != nil {
			return s.addPlace(err, r.leaf)
		}
	}
	return nil
}

// sum reads the rest of the chunks. It returns a digest of the footer, the row group's number and the chunks, in the
// order of the file, so that the digest does not depend on the order of the requested columns.
func (s *groupScan) sum() ([]byte, error) {
	h := s.file.digestHead(s.group)
	err := s.each(func(_ int, r *columnReader) error {
		chunk, err := r.pages.section.Sum()
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(r.leaf.chunk)))
		h.Write(chunk)
		return err
	})
	return h.Sum(nil), err
}

// close closes the readers, which returns their memory to the pools.
func (s *groupScan) close() {
	for _, r := range s.readers {
		r.close()
	}
	s.shared.codecs.Close()
}

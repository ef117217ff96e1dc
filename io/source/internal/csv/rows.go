package csv

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// rowReader splits text into records, and collects their fields in the columns of batches.
type rowReader struct {
	names   []string
	columns []column // each once, in the order of the file
	order   []int    // order[i] is the index in columns of the i-th requested column
	rows    int
	blanks  int64    // number of blank lines and comments skipped between the rows
	lines   *lines   // splits most records
	general splitter // splits the records that need a second look
	fields  []field  // fields of a block of records, one column after another
	starts  []int32  // offsets in the text of the first gathered rows
}

// knownStarts is the largest number of rows whose offsets are kept.
const knownStarts = 4096

// newReader returns a reader of some columns.
func (c *file) newReader(names []string) *rowReader {
	r := &rowReader{names: slices.Clone(names), order: make([]int, len(names)), starts: make([]int32, 0, knownStarts)}
	var needed []int
	for _, name := range names {
		needed = append(needed, c.table.Index(name))
	}
	places := slices.Clone(needed)
	slices.Sort(places)
	places = slices.Compact(places)
	r.general = splitter{d: c.dialect, needed: 1, ordinary: -1}
	for _, at := range places {
		t, typed := c.dialect.types[c.table.Fields[at].Name]
		if !typed {
			t = scan.Text
		}
		r.columns = append(r.columns, column{TextColumn: scan.TextColumn{TextType: t}, at: at})
		r.general.needed = at + 1
	}
	for i, at := range needed {
		r.order[i] = slices.Index(places, at)
	}
	r.lines = &lines{dialect: c.dialect, needed: places}
	r.fields = make([]field, max(1, len(places))*r.block())
	return r
}

// fits reports whether the reader can be used for some columns of a file: it was made for columns of the same names and
// numbers.
func (r *rowReader) fits(c *file, names []string) bool {
	if !slices.Equal(r.names, names) {
		return false
	}
	for i, name := range names {
		if r.columns[r.order[i]].at != c.table.Index(name) {
			return false
		}
	}
	return true
}

// block returns how many records are split before their fields are copied. It is so small that the offsets of the
// fields fit the CPU's first-level cache.
func (r *rowReader) block() int { return max(16, 2048/max(1, len(r.columns))) }

func (r *rowReader) reset() {
	r.rows, r.blanks, r.starts = 0, 0, r.starts[:0]
	for i := range r.columns {
		r.columns[i].Reset()
	}
}

// stream gathers the records of a batch from a stream. The error is io.EOF if they are the last ones.
func (r *rowReader) stream(s *scanner) error {
	r.reset()
	for full := false; !full && r.rows < r.most(); {
		r.gatherBuffered(s)
		if r.rows == r.most() {
			break
		}
		if err := s.next(); err != nil {
			return err
		}
		r.rows++
		for i := range r.columns {
			c := &r.columns[i]
			if c.at < len(s.fields) {
				c.add(s.d, s.text(c.at))
			} else {
				c.AddNull()
			}
			full = full || len(c.Values.Data) >= scan.BatchBytes
		}
	}
	return nil
}

// gatherBuffered gathers a block of the records in the scanner's buffer.
func (r *rowReader) gatherBuffered(s *scanner) {
	own := s.at + int(min(int64(s.end-s.at), s.limit-s.taken))
	if s.toSkip != skipNothing || own <= s.at || r.rows+r.block() > r.most() {
		return
	}
	r.general.eof = s.eof
	next, _ := r.add(s.buf[:s.end], s.at, own)
	s.taken += int64(next - s.at)
	s.at = next
}

// readStream gathers the records of a stream and yields them. It returns the number of skipped lines.
func (r *rowReader) readStream(ctx context.Context, s *scanner, yield func(*table.Batch) error) (blanks int64,
	err error) {
	s.needed, s.blanks = r.general.needed, 0
	for err == nil {
		if err = ctx.Err(); err != nil {
			return 0, err
		}
		err = fault.Guard(func() error { return r.stream(s) })
		blanks += r.blanks
		if r.rows == 0 || err != nil && !errors.Is(err, io.EOF) {
			break
		}
		if y := yield(r.batch(0, r.rows)); y != nil {
			return 0, y
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, scan.StreamError(err)
	}
	return blanks + s.blanks, nil
}

// most returns the largest number of rows in a batch.
func (r *rowReader) most() int { return scan.RowsOf(len(r.columns)) }

// maxGathered returns how many rows of a text are collected before they are yielded, to bound their memory.
func (r *rowReader) maxGathered() int { return max(r.block(), scan.BatchValues/max(1, len(r.columns))) }

// gather gathers the records of a text that start at offset at or later. It returns the start of the first record that
// it did not gather: a record of the next piece, or one for a later call. whole is false if the text ends within that
// record.
func (r *rowReader) gather(t *pieceText, at int) (next int, whole bool, err error) {
	r.reset()
	for whole = true; at < t.own && r.rows+r.block() <= r.maxGathered(); {
		r.general.eof = t.eof()
		if at, whole = r.add(t.b, at, t.own); whole {
			continue
		}
		if more, err := t.extend(); err != nil || !more {
			return at, false, err
		}
	}
	return at, whole, nil
}

// add splits the records of b that start in [at, end), but at most a block of them, and adds their fields to the
// columns.
func (r *rowReader) add(b []byte, at, end int) (next int, whole bool) {
	rows, next, whole := r.split(b, at, end)
	for i := range r.columns {
		fields := r.fields[i*r.block():]
		r.columns[i].take(r.general.d, b, fields[:rows])
	}
	r.rows += rows
	return next, whole
}

// split splits the records for add.
func (r *rowReader) split(b []byte, at, end int) (rows, next int, whole bool) {
	stride := r.block()
	r.lines.noQuoteBefore = at
	for rows < stride && at < end {
		next = r.lines.split(b, at, r.fields[rows:], stride)
		start := at
		if next == at {
			n, whole := r.general.split(b[at:])
			if !whole {
				return rows, at, false
			}
			if at += n; len(r.general.fields) == 0 {
				r.blanks++
				continue
			}
			r.splitAgain(start, rows)
		} else {
			at = next
		}
		if len(r.starts) < knownStarts {
			r.starts = append(r.starts, int32(start))
		}
		rows++
	}
	return rows, at, true
}

// splitAgain splits the record at offset at, which needed a second look, and sets the fields of the row.
func (r *rowReader) splitAgain(at, row int) {
	for i := range r.columns {
		f := missing
		if k := r.columns[i].at; k < len(r.general.fields) {
			f = r.general.fields[k]
			f.from += int32(at)
			f.to += int32(at)
		}
		r.fields[i*r.block()+row] = f
	}
}

// batch returns the gathered rows i to j - 1.
func (r *rowReader) batch(i, j int) *table.Batch {
	b := &table.Batch{Rows: j - i, Columns: make([]table.Column, len(r.order))}
	for k, at := range r.order {
		c := r.columns[at].Column()
		b.Columns[k] = c.Slice(i, j)
	}
	return b
}

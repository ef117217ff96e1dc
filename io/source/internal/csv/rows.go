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

// rowReader splits text into records and gathers their fields in columns, from which it makes batches.
//
// The text comes from a piece in memory (gather) or from a stream (gatherStream). Records in memory are gathered a
// block at a time: all records of the block are split into fields, then the fields of one column after another become
// values.
type rowReader struct {
	names   []string
	columns []column // the needed columns, each once, in the order of the file
	order   []int    // the i-th requested column is columns[order[i]]
	rows    int
	blanks  int64    // number of blank lines and comments that were skipped
	lines   *lines   // splits most records quickly
	general splitter // splits the records that lines cannot split
	fields  []field  // the block's fields; column i of record k has fields[i*block()+k]
	starts  []int32  // starts[k] is the offset in the text of gathered row k, for k < maxStarts
}

// maxStarts is the maximum length of starts. If the piece's true start is none of these offsets, the piece is parsed
// again.
const maxStarts = 4096

func (c *file) newRowReader(names []string) *rowReader {
	r := &rowReader{names: slices.Clone(names), order: make([]int, len(names)), starts: make([]int32, 0, maxStarts)}
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

// canRead reports whether the reader, made for another piece or file, can read the named columns of c: it has the same
// columns at the same places.
func (r *rowReader) canRead(c *file, names []string) bool {
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

// block returns the maximum number of records in a block. The ranges of a block's fields fit the CPU's first-level
// cache.
func (r *rowReader) block() int { return max(16, 2048/max(1, len(r.columns))) }

func (r *rowReader) reset() {
	r.rows, r.blanks, r.starts = 0, 0, r.starts[:0]
	for i := range r.columns {
		r.columns[i].Reset()
	}
}

// gatherStream gathers the next records of a stream, at most a batch. The error is io.EOF at the end of the stream.
func (r *rowReader) gatherStream(s *scanner) error {
	r.reset()
	for full := false; !full && r.rows < r.batchRows(); {
		r.gatherBuffered(s)
		if r.rows == r.batchRows() {
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

// gatherBuffered gathers a block of records that are whole in the scanner's buffer. It gathers none if the batch has no
// room for a block.
func (r *rowReader) gatherBuffered(s *scanner) {
	own := s.at + int(min(int64(s.end-s.at), s.limit-s.taken))
	if s.toSkip != skipNothing || own <= s.at || r.rows+r.block() > r.batchRows() {
		return
	}
	r.general.eof = s.eof
	next, _ := r.gatherBlock(s.buf[:s.end], s.at, own)
	s.taken += int64(next - s.at)
	s.at = next
}

// readStream gathers the records of a stream and yields them in batches. It returns the number of skipped lines.
func (r *rowReader) readStream(ctx context.Context, s *scanner, yield func(*table.Batch) error) (blanks int64,
	err error) {
	s.needed, s.blanks = r.general.needed, 0
	for err == nil {
		if err = ctx.Err(); err != nil {
			return 0, err
		}
		err = fault.Guard(func() error { return r.gatherStream(s) })
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

// batchRows returns the maximum number of rows in a batch.
func (r *rowReader) batchRows() int { return scan.RowsOf(len(r.columns)) }

// maxGathered returns the maximum number of rows that are gathered before they are yielded, which bounds their memory.
func (r *rowReader) maxGathered() int { return max(r.block(), scan.BatchValues/max(1, len(r.columns))) }

// gather replaces the gathered rows by the records of t that start at offset at or later and within the piece. It stops
// at maxGathered rows. It returns the start of the first record that it did not gather. whole is false if the text ends
// within that record.
func (r *rowReader) gather(t *pieceText, at int) (next int, whole bool, err error) {
	r.reset()
	for whole = true; at < t.own && r.rows+r.block() <= r.maxGathered(); {
		r.general.eof = t.eof()
		if at, whole = r.gatherBlock(t.b, at, t.own); whole {
			continue
		}
		if more, err := t.extend(); err != nil || !more {
			return at, false, err
		}
	}
	return at, whole, nil
}

// gatherBlock gathers at most a block of records: those of b that start in [at, end). It returns the start of the next
// record. whole is false if b ends within that record.
func (r *rowReader) gatherBlock(b []byte, at, end int) (next int, whole bool) {
	rows, next, whole := r.split(b, at, end)
	for i := range r.columns {
		fields := r.fields[i*r.block():]
		r.columns[i].appendFields(r.general.d, b, fields[:rows])
	}
	r.rows += rows
	return next, whole
}

// split splits the records that gatherBlock gathers, and sets fields.
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
			r.setFields(start, rows)
		} else {
			at = next
		}
		if len(r.starts) < maxStarts {
			r.starts = append(r.starts, int32(start))
		}
		rows++
	}
	return rows, at, true
}

// setFields sets the fields of a row from the record that general has just split at offset at.
func (r *rowReader) setFields(at, row int) {
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

// batch returns the gathered rows i to j - 1 as a batch of the requested columns.
func (r *rowReader) batch(i, j int) *table.Batch {
	b := &table.Batch{Rows: j - i, Columns: make([]table.Column, len(r.order))}
	for k, at := range r.order {
		c := r.columns[at].Column()
		b.Columns[k] = c.Slice(i, j)
	}
	return b
}

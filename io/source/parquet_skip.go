package source

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// pageSkips is what a guard needs to know where pages begin that it may pass over.
type pageSkips struct {
	total int64 // rows of the row group
	page  int   // the next data page
	index *pageIndex
	parts [2][]byte // of the index, as they are in the file
}

// begin compares the index with the row at which a data page begins.
func (s *pageSkips) begin(row int64) error {
	if x := s.index; x != nil && (s.page >= x.pages || x.first != nil && x.first[s.page] != row) {
		return wrongIndex("the page index contradicts the pages")
	}
	s.page++
	return nil
}

// end does so after the last page.
func (s *pageSkips) end() error {
	if s.index != nil && s.page != s.index.pages {
		return wrongIndex("the page index has more pages than the column chunk")
	}
	return nil
}

// sum is a digest of the index; nil: there is none.
func (s *pageSkips) sum() []byte {
	if s == nil || s.parts[0] == nil && s.parts[1] == nil {
		return nil
	}
	h := sha256.New()
	for _, part := range s.parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return h.Sum(nil)
}

// rows returns how many rows the next data page of lists has, by the index; -1: it does not say. Without an index, pages may begin
// within a list, also those of version 2 with some writers.
func (s *pageSkips) rows() int64 {
	x := s.index
	if x == nil || s.page >= len(x.first) {
		return -1
	}
	end := s.total
	if s.page+1 < len(x.first) {
		end = x.first[s.page+1]
	}
	if end == x.first[s.page] {
		return -1
	}
	return end - x.first[s.page]
}

// begin notes that a data page begins, in which so many rows do.
func (g *pageGuard) begin(rows int64) error {
	if g.skips != nil {
		if err := g.skips.begin(g.row()); err != nil {
			return err
		}
	}
	g.rows -= rows
	return nil
}

// row returns the first row of the next page.
func (g *pageGuard) row() int64 { return g.skips.total - g.rows }

// coming returns the header of the next page, whose body was not read; io.EOF: there is none, and needs not be.
func (g *pageGuard) coming() (*format.PageHeader, error) {
	h, err := g.raw.head()
	if !errors.Is(err, io.EOF) {
		return h, err
	}
	if g.rows > 0 {
		return nil, tooFew()
	}
	if g.skips != nil {
		if e := g.skips.end(); e != nil {
			return nil, e
		}
	}
	return nil, err
}

// ahead returns the header of the next data page, whose body was not read, and how many rows begin in it; -1: that is not known. A
// dictionary before it goes first.
func (g *pageGuard) ahead() (h *format.PageHeader, rows int64, err error) {
	h, err = g.coming()
	for err == nil && h.Type == format.DictionaryPage {
		if err = g.next(); err == nil {
			h, err = g.coming()
		}
	}
	if err != nil {
		return nil, 0, err
	}
	p, err := g.page(h, nil)
	if g.lists != nil {
		return h, g.skips.rows(), err
	}
	return h, int64(p.values), err
}

// pass passes over the data page that ahead has returned. Its rows count.
func (g *pageGuard) pass(rows int64) error {
	p, err := g.page(g.raw.ahead, nil)
	if err != nil {
		return err
	}
	left := g.rows
	if g.lists != nil {
		left = g.lists.left
	}
	if err := g.announced(&p, left); err != nil {
		return err
	}
	switch {
	case rows < 0 || rows > g.rows || rows > int64(p.values):
		return tooMany()
	case p.v2 != nil && int64(p.v2.NumRows) != rows:
		return fault(CodeDamaged, "a page's number of rows contradicts its number of values")
	}
	if err := g.begin(rows); err != nil {
		return err
	}
	if g.lists != nil {
		g.lists.left -= int64(p.values)
	}
	return g.raw.pass()
}

// findIndex reads what the file says of the pages: where lists begin, and of a column that a selection goes by all.
func (c *columnReader) findIndex(f io.ReaderAt, k *chunk, end int64) (err error) {
	c.guard.skips = &pageSkips{total: c.guard.rows}
	if c.pick != nil || c.lists != nil {
		c.guard.skips.parts, err = c.guard.leaf.indexParts(f, k, end)
	}
	return err
}

// openIndex decodes that.
func (c *columnReader) openIndex() (err error) {
	s := c.guard.skips
	if s == nil {
		return nil
	}
	if s.index, err = newIndex(c.leaf.physical, s.parts, s.total); c.pick != nil {
		c.pick.index = s.index
	}
	return err
}

package source

import (
	"io"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/table"
)

// maxIndex is the longest part of a page index that is used, of some 10,000 to 50,000 pages. Longer ones are left aside: what decoding
// takes is up to 64 times as much, where nothing is said of very many pages.
const maxIndex = 1 << 20

// span is a part of a file; without a place or a length there is none.
type span struct {
	at   int64
	size int32
}

// read returns the bytes of a page index, whose file's footer starts at end; nil: there is none to use.
func (s span) read(f io.ReaderAt, end int64) ([]byte, error) {
	switch {
	case s.at == 0 || s.size == 0:
		return nil, nil
	case s.at < 4 || s.size < 0 || s.at > end-int64(s.size):
		return nil, wrongIndex("the page index is not within the file")
	case s.size > maxIndex:
		return nil, nil
	}
	b := make([]byte, s.size)
	return b, readAt(f, b, s.at)
}

// indexParts reads the parts of a page index that say something of a leaf's values and rows.
func (l *leaf) indexParts(f io.ReaderAt, c *chunk, end int64) (parts [2][]byte, err error) {
	if l.void {
		return parts, nil
	}
	if l.list == nil {
		if parts[0], err = c.index[0].read(f, end); err != nil {
			return parts, err
		}
	}
	parts[1], err = c.index[1].read(f, end)
	return parts, err
}

// pageIndex is what a file says, apart from the pages, of the data pages of a chunk.
type pageIndex struct {
	pages int
	first []int64 // rows; nil: nothing is said of them
	ends  []ends  // nil: so
	empty []bool  // of pages: all rows are null
}

// newIndex decodes the parts of a page index, of which either may be nil; nil: so are both. The row group has so many rows.
func newIndex(physical format.Type, parts [2][]byte, rows int64) (*pageIndex, error) {
	var x pageIndex
	if parts[0] != nil {
		var c format.ColumnIndex
		ok := decodeIndex(parts[0], &c)
		n := len(c.NullPages)
		if !ok || len(c.MinValues) != n || len(c.MaxValues) != n {
			return nil, brokenIndex()
		}
		x.pages, x.empty, x.ends = n, c.NullPages, make([]ends, n)
		for i := range x.ends {
			x.ends[i] = endsOf(physical, &format.Statistics{MinValue: c.MinValues[i], MaxValue: c.MaxValues[i]})
		}
	}
	if parts[1] != nil {
		var o format.OffsetIndex
		if !decodeIndex(parts[1], &o) || x.ends != nil && len(o.PageLocations) != x.pages || !x.locate(o.PageLocations, rows) {
			return nil, brokenIndex()
		}
	}
	if parts[0] == nil && parts[1] == nil {
		return nil, nil
	}
	return &x, nil
}

// locate takes the first rows of pages; false: they cannot be so.
func (x *pageIndex) locate(pages []format.PageLocation, rows int64) bool {
	last := int64(0)
	x.pages, x.first = len(pages), make([]int64, len(pages))
	for i, p := range pages {
		if p.FirstRowIndex < last || p.FirstRowIndex > rows || i == 0 && p.FirstRowIndex > 0 {
			return false
		}
		last, x.first[i] = p.FirstRowIndex, p.FirstRowIndex
	}
	return true
}

// decodeIndex decodes a part of an index.
func decodeIndex(b []byte, v any) bool {
	w, ok := walkThrift(b)
	return ok && w.at == len(b) && decodeThrift(b, v) == nil
}

func brokenIndex() error { return wrongIndex("the page index cannot be decoded") }

// wrongIndex is an error that only reads with a filter meet.
func wrongIndex(what string) error {
	return fault(CodeDamaged, "%s", what).hint("write the file again, if need be without a page index")
}

// bounds returns what the index says of the values of a page.
func (x *pageIndex) bounds(l *leaf, page int) (b table.Bounds, ok bool) {
	switch {
	case x == nil || page >= len(x.ends) || l.list != nil:
		return b, false
	case x.empty[page]:
		return table.Bounds{Empty: true}, true
	}
	return l.bounds(x.ends[page])
}

package parquet

import (
	"bytes"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// columnReader decodes one column chunk page by page.
type columnReader struct {
	leaf   *leaf
	guard  *pageGuard
	pages  parquet.Pages
	dict   *scan.Dictionary
	page   openPage
	buffer rowBuffer
	lists  *listRows // of a column of lists
}

// openPage is a decoded page, whose rows are used from the first on.
type openPage struct {
	page  parquet.Page
	left  int    // rows
	level []byte // of the rows left: 1: there is a value; nil: there always is
	data  pageData
	dict  bool // data is codes
}

// rowBuffer is memory for rows with nulls between them, and for values that are not held as the page holds them.
type rowBuffer struct {
	valid  []bool
	codes  []int32
	values table.Values
}

// ready returns how many rows can be taken, after decoding the next page if there are none.
func (c *columnReader) ready() (int, error) {
	switch {
	case c.lists != nil:
		return c.lists.ready()
	case c.leaf.void:
		return c.readyNulls()
	}
	for c.page.left == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	return c.page.left, nil
}

// next decodes the next page.
func (c *columnReader) next() error {
	c.release()
	p, err := c.pages.ReadPage()
	if err != nil {
		return c.ended(err)
	}
	c.page = openPage{page: p, left: int(p.NumRows())}
	if c.leaf.optional {
		c.page.level = p.DefinitionLevels()
	}
	values := c.page.left
	if c.page.level != nil {
		values = bytes.Count(c.page.level, []byte{1})
	}
	return c.open(p, values)
}

// ended says why there is no next page. What the guard found comes first; the library's text is not used.
func (c *columnReader) ended(err error) error {
	switch {
	case c.guard.err != nil && !errors.Is(c.guard.err, io.EOF):
		return c.guard.err
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return scan.Fault(scan.CodeDamaged, "a page cannot be decoded")
}

// open checks a page's values or codes.
func (c *columnReader) open(p parquet.Page, values int) error {
	data := p.Data()
	if d := p.Dictionary(); d != nil {
		if err := c.learn(d); err != nil {
			return err
		}
		codes := data.Int32()
		if len(codes) < values || !below(codes[:values], c.dict.Size) {
			return scan.Fault(scan.CodeDamaged, "a code is not in the dictionary")
		}
		c.page.data, c.page.dict = pageData{ints32: codes}, true
		return nil
	}
	var err error
	c.page.data, err = dataOf(c.leaf, data, values)
	return err
}

// below says whether all codes are in [0, n).
func below(codes []int32, n int) bool {
	var a, b, c, d uint32 // apart, so that the comparisons need not wait for each other
	left := codes
	for ; len(left) >= 8; left = left[8:] {
		a = max(a, uint32(left[0]), uint32(left[4]))
		b = max(b, uint32(left[1]), uint32(left[5]))
		c = max(c, uint32(left[2]), uint32(left[6]))
		d = max(d, uint32(left[3]), uint32(left[7]))
	}
	for _, code := range left {
		a = max(a, uint32(code))
	}
	return len(codes) == 0 || int64(max(a, b, c, d)) < int64(n)
}

// learn takes the chunk's dictionary, once.
func (c *columnReader) learn(d parquet.Dictionary) error {
	if c.dict != nil {
		return nil
	}
	p := d.Page()
	data, err := dataOf(c.leaf, p.Data(), d.Len())
	if err != nil {
		return err
	}
	c.dict = &scan.Dictionary{Size: d.Len(), ID: scan.NextDictionary()}
	c.dict.Values = data.values(c.leaf, d.Len(), &table.Values{})
	if c.dict.Size == 0 { // the code of a null must be in range
		c.dict.Values = table.Values{Ints: []int64{0}, Floats: []float64{0}, Offsets: []uint32{0, 0}}
	}
	return nil
}

// take returns the next n rows, n at most what ready returned. They are valid until ready is called again.
func (c *columnReader) take(n int) table.Column {
	switch {
	case c.lists != nil:
		return c.lists.take(n)
	case c.leaf.void:
		return c.takeNulls(n)
	}
	return c.takeFlat(n)
}

// takeFlat returns the next n rows, or elements of lists.
func (c *columnReader) takeFlat(n int) table.Column {
	out := table.Column{Type: c.leaf.field.Type}
	values := n
	if c.page.level != nil {
		values = bytes.Count(c.page.level[:n], []byte{1})
		if values < n {
			out.Valid = c.buffer.validity(c.page.level[:n])
		}
		c.page.level = c.page.level[n:]
	}
	c.page.left -= n
	if c.page.dict {
		out.Values, out.Dict = c.dict.Values, c.dict.ID
		out.Codes = c.buffer.spreadCodes(c.page.data.ints32[:values], out.Valid)
		c.page.data.ints32 = c.page.data.ints32[values:]
		return out
	}
	out.Values = c.page.data.values(c.leaf, values, &c.buffer.values)
	if out.Valid != nil {
		c.buffer.spreadValues(&out.Values, c.leaf.field.Type.Kind, out.Valid)
	}
	return out
}

// end checks that no values are left.
func (c *columnReader) end() error {
	for {
		n, err := c.ready()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case n > 0:
			return tooMany()
		}
	}
}

func (c *columnReader) release() {
	if c.page.page != nil {
		parquet.Release(c.page.page)
		c.page = openPage{}
	}
}

func (c *columnReader) close() error {
	c.release()
	return c.pages.Close()
}

package parquet

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// maxPageValues is the most values of a page: what a few bytes can say, and decoding expands.
const maxPageValues = 1 << 26

// columnReader decodes one column chunk page by page. Of each page it
//
//  1. reads the header, verifies the checksum and decompresses the body (pages.go);
//  2. decodes the levels, which say which rows have a value (page.go, levels.go);
//  3. checks the lengths in the values, and how many there are (check.go);
//  4. lets parquet-go's decoders decode the values (decode.go).
//
// Rows are then taken in batches, in the form of a table (values.go, convert.go, nulls.go, listrows.go).
type columnReader struct {
	leaf   *leaf // of a column of lists too
	pages  pageReader
	rows   int64 // that the row group has and no page has announced
	values int64 // that the column chunk has and no page has announced, null elements and empty lists among them
	begun  bool  // a page was read
	dict   *scan.Dictionary
	page   openPage
	memory *pageMemory
	// memories is where the memory goes when the reader is closed.
	memories *sync.Pool
	buffer   rowBuffer
	lists    *listRows // of a column of lists
}

// openPage is a decoded page, whose rows (of lists: elements that are present) are used from the first on.
type openPage struct {
	left  int
	level []byte // of the rows left: 1 if there is a value; nil if there always is
	data  decoded
	codes bool // data is codes
}

// pageMemory is what reading and decoding a chunk needs and the next chunk can use again.
type pageMemory struct {
	block, stored, plain []byte
	repeated, defined    []byte
	values               decoded
}

// pageMemories are the memories of long column chunks and of short ones, so that a column of few bytes does not hold what a long one needed.
var pageMemories [2]sync.Pool

// shortChunk is below how many stored bytes a chunk is short.
const shortChunk = 256 << 10

// pageMemoriesOf returns the memories for a chunk of so many bytes.
func pageMemoriesOf(size int64) *sync.Pool {
	if size < shortChunk {
		return &pageMemories[0]
	}
	return &pageMemories[1]
}

// mostKept is the longest piece of memory that is kept, in bytes.
const mostKept = 16 << 20

// large says whether a piece of the memory is too long to be kept.
func (m *pageMemory) large() bool {
	v := &m.values
	return max(
		cap(m.block), cap(m.stored), cap(m.plain), cap(m.repeated), cap(m.defined), cap(v.bytes), 4*cap(v.offsets),
		4*cap(v.ints32), 8*cap(v.ints64), 12*cap(v.ints96), 4*cap(v.floats32), 8*cap(v.floats64),
	) > mostKept
}

// rowBuffer is memory for rows with nulls between them, and for values that are not held as the page holds them.
type rowBuffer struct {
	valid  []bool
	codes  []int32
	values table.Values
}

// newColumnReader returns a reader of a chunk of a row group with so many rows.
func newColumnReader(l *leaf, c *chunk, rows int64, section *scan.Section, codecs *scan.Codecs) *columnReader {
	memories := pageMemoriesOf(c.size)
	m, ok := memories.Get().(*pageMemory)
	if !ok {
		m = new(pageMemory)
	}
	section.Lend(m.block)
	r := &columnReader{leaf: l, rows: rows, values: c.values, memory: m, memories: memories}
	r.pages = pageReader{section: section, left: c.size, codec: c.codec, codecs: codecs, stored: m.stored, plain: m.plain}
	if l.list != nil {
		r.lists = &listRows{elements: listElements{reader: r}, shape: l.list}
	}
	return r
}

// close ends the use of the memory.
func (c *columnReader) close() {
	m := c.memory
	m.block, m.stored, m.plain = c.pages.section.Reclaim(), c.pages.stored, c.pages.plain
	if !m.large() {
		c.memories.Put(m)
	}
	*c = columnReader{}
}

// ready returns how many rows can be taken, after decoding the next page if there are none; the error is io.EOF if there are no more.
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

// next decodes the next data page, and a dictionary before it.
func (c *columnReader) next() error {
	c.page = openPage{}
	for {
		h, body, err := c.pages.next()
		switch {
		case errors.Is(err, io.EOF) && c.rows > 0:
			return tooFew()
		case err != nil:
			return err
		}
		if h.Type != format.DictionaryPage || !h.DictionaryPageHeader.Valid {
			return c.open(h, body)
		}
		if err := c.learn(&h.DictionaryPageHeader.V, body); err != nil {
			return err
		}
	}
}

// learn decodes the dictionary, which must be the first page.
func (c *columnReader) learn(h *format.DictionaryPageHeader, body []byte) error {
	late, n := c.begun, int(h.NumValues)
	c.begun = true
	switch {
	case late:
		return scan.Fault(scan.CodeDamaged, "a dictionary is not at the start of its column chunk")
	case h.Encoding != format.Plain && h.Encoding != plainDictionary:
		return unknownEncoding()
	case n < 0 || n > maxPageValues:
		return short()
	}
	held, err := c.leaf.countPlain(body, n)
	if err != nil {
		return err
	}
	if held < n {
		return short()
	}
	l := c.leaf.values()
	var own decoded
	if l.physical == format.ByteArray {
		own.offsets = make([]uint32, 0, held+1)
	}
	data, err := own.decode(l, &parquet.Plain, slices.Clone(body), n) // the page's memory is used again
	if err != nil {
		return err
	}
	c.dict = &scan.Dictionary{Size: n, ID: scan.NextDictionary()}
	c.dict.Values = data.values(l, n, &table.Values{})
	if n == 0 { // the code of a null must be in range
		c.dict.Values = table.Values{Ints: []int64{0}, Floats: []float64{0}, Offsets: []uint32{0, 0}}
	}
	return nil
}

// open decodes a data page.
func (c *columnReader) open(h *format.PageHeader, body []byte) error {
	p, err := newDataPage(c.leaf, h, body)
	if err != nil {
		return err
	}
	if err := c.announced(&p); err != nil {
		return err
	}
	c.begun = true
	data, present, err := c.openLevels(&p)
	if err != nil {
		return err
	}
	p.leaf = c.leaf.values()
	if err := p.check(data, present); err != nil {
		return err
	}
	if isCodes(p.encoding) {
		c.page.codes = true
		c.page.data.ints32, err = c.memory.values.decodeCodes(data, present, c.dict.Size)
		return err
	}
	c.page.data, err = c.memory.values.decode(p.leaf, parquet.LookupEncoding(p.encoding), data, present)
	return err
}

// announced checks how many values a page says that it has.
func (c *columnReader) announced(p *dataPage) error {
	left := c.rows
	if c.lists != nil {
		left = c.values
	}
	switch {
	case p.values < 0:
		return scan.Fault(scan.CodeDamaged, "a page has a negative number of values")
	case int64(p.values) > left:
		return tooMany()
	case p.values > maxPageValues:
		return scan.Fault(scan.CodeTooLarge, "a page has more than 2^26 values").Advise("write the file with smaller pages")
	case isCodes(p.encoding) && c.dict == nil:
		return scan.Fault(scan.CodeDamaged, "a page needs a dictionary that is not there")
	}
	return nil
}

// openLevels decodes the levels of a page and returns what follows them and how many values that is.
func (c *columnReader) openLevels(p *dataPage) (data []byte, present int, err error) {
	repeated, defined, data, err := p.split()
	if err != nil {
		return nil, 0, err
	}
	rows, present, m, shape := int64(p.values), p.values, c.memory, c.leaf.list
	var counts levelCounts
	switch {
	case shape != nil:
		if m.repeated, counts, err = decodeLevels(m.repeated, repeated, p.values, 1); err != nil {
			return nil, 0, err
		}
		rows = int64(counts[0])
		if m.defined, counts, err = decodeLevels(m.defined, defined, p.values, shape.highest); err != nil {
			return nil, 0, err
		}
		present = counts[shape.highest]
		c.lists.page = listPage{repeated: m.repeated, defined: m.defined}
		c.page.left = present
	case c.leaf.highest > 0:
		highest := c.leaf.highest
		if m.defined, counts, err = decodeLevels(m.defined, defined, p.values, highest); err != nil {
			return nil, 0, err
		}
		if present = counts[highest]; present < p.values {
			onlyHighest(m.defined, highest)
			c.page.level = m.defined
		}
		fallthrough
	default:
		c.page.left = p.values
	}
	if rows > c.rows {
		return nil, 0, tooMany()
	}
	c.rows -= rows
	c.values -= int64(p.values)
	if shape != nil {
		p.values = present
	}
	return data, present, nil
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
	l := c.leaf.values()
	out := table.Column{Type: l.field.Type}
	values := n
	if c.page.level != nil {
		values = bytes.Count(c.page.level[:n], []byte{1})
		if values < n {
			out.Valid = c.buffer.validity(c.page.level[:n])
		}
		c.page.level = c.page.level[n:]
	}
	c.page.left -= n
	if c.page.codes {
		out.Values, out.Dict = c.dict.Values, c.dict.ID
		out.Codes = c.buffer.spreadCodes(c.page.data.ints32[:values], out.Valid)
		c.page.data.ints32 = c.page.data.ints32[values:]
		return out
	}
	out.Values = c.page.data.values(l, values, &c.buffer.values)
	if out.Valid != nil {
		c.buffer.spreadValues(&out.Values, l.field.Type.Kind, out.Valid)
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

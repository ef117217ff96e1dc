package parquet

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// columnReader decodes one column chunk page by page. For each page it
//
//  1. reads the header, verifies the checksum and decompresses the body (pages.go);
//  2. checks the lengths in levels and values, and how many there are (levels.go, check.go);
//  3. decodes a piece of it: levels, which tell which rows have a value, and values (pieces.go), with parquet-go's
//     decoders (decode.go).
//
// Rows are then taken in batches, in a table's form (values.go, convert.go, nulls.go, listrows.go). If the pages of all
// columns do not fit in memory, they pass through a window (window.go).
type columnReader struct {
	leaf   *leaf // the column; for lists, the leaf of the list, not of its elements
	pages  pageReader
	rows   int64 // rows of the row group that are not in a page read so far
	values int64 // values of the chunk that are not in a page read so far, with null elements and empty lists
	begun  bool  // a page was read
	dict   *scan.Dictionary
	page   openPage
	// own is memory for pages, and memories the pool that gets it back when the reader is closed.
	own      *pageMemory
	memories *sync.Pool
	shared   *sharedMemory
	buffer   rowBuffer
	lists    *listRows // nil unless the column holds lists
	window   *window   // nil if the reader holds pages between batches
	// opened is the current page, and stored the dictionary, so that they can be read again for the window. forgotten is
	// true if the values of dict were dropped.
	opened    reopening
	stored    storedPage
	forgotten bool
}

// openPage is a page with its current piece, which is decoded. Rows (for lists, elements) are taken from the start of
// the piece.
type openPage struct {
	left  int
	level []byte // level[i] is 1 if row i has a value; nil if all rows have one
	data  decoded
	codes bool // data holds codes into the dictionary
	rest  pageRest
}

// rowBuffer is memory for the rows that nextRows returns, if they cannot share memory with the page: rows with nulls,
// and values that a table.Column holds in another form.
type rowBuffer struct {
	valid  []bool
	codes  []int32
	values table.Values
}

// newColumnReader returns a reader of chunk c. rows is the number of rows of the row group.
func newColumnReader(l *leaf, c *chunk, rows int64, section *scan.Section, shared *sharedMemory) *columnReader {
	memories := pageMemoriesOf(c.size)
	m, ok := memories.Get().(*pageMemory)
	if !ok {
		m = new(pageMemory)
	}
	section.Lend(m.block)
	r := &columnReader{leaf: l, rows: rows, values: c.values, own: m, memories: memories, shared: shared}
	r.pages = pageReader{section: section, left: c.size, codec: c.codec, memory: m, shared: shared}
	r.account()
	if l.list != nil {
		r.lists = &listRows{elements: listElements{reader: r}, shape: l.list}
	}
	return r
}

// close returns the memory to the pool.
func (c *columnReader) close() {
	m := c.own
	m.block = c.pages.section.Reclaim()
	if !m.isLarge() {
		c.memories.Put(m)
	}
	*c = columnReader{}
}

// ready returns how many rows can be taken. If there are none, it first decodes the next piece of a page. The error is
// io.EOF at the end.
func (c *columnReader) ready() (int, error) {
	switch {
	case c.lists != nil:
		return c.lists.ready()
	case c.leaf.void:
		return c.readyNulls()
	case c.window != nil:
		return c.readyWindow()
	}
	n, err := c.readyPage()
	if err == nil && c.pages.windowed {
		c.window = &window{typ: c.leaf.field.Type}
		return c.readyWindow()
	}
	c.account()
	return n, err
}

// readyPage is ready for rows of pages.
func (c *columnReader) readyPage() (int, error) {
	for c.page.left == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	return c.page.left, nil
}

// next decodes the next piece of the current data page or, if the page has no rows left, of the next data page. It also
// reads the dictionary, which comes before the first data page.
func (c *columnReader) next() error {
	if c.page.rest.levels > 0 {
		return c.decodePiece()
	}
	c.page = openPage{}
	for {
		h, body, err := c.pages.next()
		switch {
		case errors.Is(err, io.EOF) && (c.rows > 0 || c.lists != nil && c.values > 0):
			return tooFew()
		case err != nil:
			return err
		}
		if h.Type != format.DictionaryPage || !h.DictionaryPageHeader.Valid {
			return c.openDataPage(h, body)
		}
		if c.begun {
			return fault.New(fault.CodeDamaged, "a dictionary is not at the start of its column chunk")
		}
		c.begun, c.stored = true, c.pages.current
		if c.pages.windowed { // the next page must not overwrite the dictionary
			m := c.shared
			m.pages.plain, m.dictionary.plain = m.dictionary.plain, m.pages.plain
			err = c.decodeDictionary(&h.DictionaryPageHeader.V, body, &m.dictionary.values, &m.converted)
		} else {
			err = c.decodeDictionary(&h.DictionaryPageHeader.V, c.keepBody(body), &decoded{}, &table.Values{})
			c.account()
		}
		if err != nil {
			return err
		}
	}
}

// longBody is the length of a dictionary from which on it keeps the memory of its page, in bytes.
const longBody = 1 << 18

// keepBody returns the bytes of a dictionary's page in memory that the next page does not overwrite, if the values of
// the dictionary share it.
func (c *columnReader) keepBody(body []byte) []byte {
	switch {
	case !c.leaf.values().isBytes():
		return body
	case len(body) < longBody:
		return slices.Clone(body)
	}
	c.pages.memory.plain = nil
	return body
}

// decodeDictionary decodes the dictionary into the memory of d and to.
func (c *columnReader) decodeDictionary(h *format.DictionaryPageHeader, body []byte, d *decoded,
	to *table.Values) error {
	n := int(h.NumValues)
	switch {
	case h.Encoding != format.Plain && h.Encoding != plainDictionary:
		return unknownEncoding()
	case n < 0:
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
	if l.physical == format.ByteArray {
		d.offsets = slices.Grow(d.offsets[:0], held+1)
	}
	data, err := d.decode(l, &parquet.Plain, body, n)
	if err != nil {
		return err
	}
	c.dict = &scan.Dictionary{Size: n, ID: table.NextDictionary()}
	c.dict.Values = data.values(l, n, to)
	if n == 0 { // a null has code 0, so the dictionary needs an entry 0
		c.dict.Values = table.Values{Ints: []int64{0}, Floats: []float64{0}, Offsets: []uint32{0, 0}}
	}
	return nil
}

// openDataPage checks a data page and decodes its first piece.
func (c *columnReader) openDataPage(h *format.PageHeader, body []byte) error {
	p, err := newDataPage(c.leaf, h, body)
	if err != nil {
		return err
	}
	if err := c.checkAnnounced(&p); err != nil {
		return err
	}
	if c.forgotten && isCodes(p.encoding) {
		if err := c.readDictionaryAgain(); err != nil {
			return err
		}
	}
	c.begun = true
	c.opened = reopening{page: c.pages.current, rows: c.rows, values: c.values, left: p.values}
	c.values -= int64(p.values)
	rest := &c.page.rest
	*rest = pageRest{leaf: c.leaf, levels: p.values, whole: p.values <= maxPiece}
	data, err := rest.openLevels(&p)
	if err != nil {
		return err
	}
	present, err := rest.present(c.pages.memory)
	if err != nil {
		return err
	}
	if p.leaf = c.leaf.values(); c.lists != nil {
		p.values = present
	}
	data = p.withoutPadding(data, present)
	if err := p.check(data, present); err != nil {
		return err
	}
	rest.values, c.page.codes = p.open(data, present, c.dict, &c.pages.memory.values), isCodes(p.encoding)
	if rest.levels == 0 {
		return nil
	}
	return c.decodePiece()
}

// checkAnnounced checks that a page states no more values than the chunk has left, and has the dictionary that it
// needs.
func (c *columnReader) checkAnnounced(p *dataPage) error {
	left := c.rows
	if c.lists != nil {
		left = c.values
	}
	switch {
	case p.values < 0:
		return fault.New(fault.CodeDamaged, "a page has a negative number of values")
	case int64(p.values) > left:
		return tooMany()
	case isCodes(p.encoding) && c.dict == nil:
		return fault.New(fault.CodeDamaged, "a page needs a dictionary that is not there")
	}
	return nil
}

// decodePiece decodes the next piece of a page: its levels, and the values of the rows that have one.
func (c *columnReader) decodePiece() (err error) {
	r, highest := &c.page.rest, c.page.rest.highest()
	n := min(r.levels, maxPiece)
	present := n
	if highest > 0 {
		if len(r.definitions) == 0 {
			if err := r.load(n, c.pages.memory); err != nil {
				return err
			}
		}
		n = len(r.definitions)
		present = bytes.Count(r.definitions, []byte{highest})
	}
	if present > 0 && r.ahead == 0 {
		if c.page.data, r.ahead, err = r.values.next(&c.pages.memory.values); err != nil {
			return err
		}
		if r.ahead == 0 {
			return short()
		}
	}
	if present > r.ahead {
		n, present = levelsUpTo(r.definitions, highest, r.ahead, n), r.ahead
	}
	r.ahead -= present
	r.levels -= n
	return c.setPiece(n, present, highest)
}

// levelsUpTo returns how many levels come up to and including the level of the count-th value. A level equal to highest
// marks a value; if highest is 0, every level does. levelsUpTo returns n if the first n levels have fewer values.
func levelsUpTo(levels []byte, highest byte, count, n int) int {
	if highest == 0 {
		return count
	}
	for i, l := range levels[:n] {
		if l != highest {
			continue
		}
		if count--; count == 0 {
			return i + 1
		}
	}
	return n
}

// setPiece makes the rows of the next n levels the current piece. present is how many of these rows have a value.
func (c *columnReader) setPiece(n, present int, highest byte) error {
	r, rows := &c.page.rest, int64(n)
	c.page.left, c.page.level = n, nil
	var defined []byte
	if highest > 0 {
		defined, r.definitions = r.definitions[:n], r.definitions[n:]
	}
	switch {
	case c.lists != nil:
		c.page.left = present
		c.lists.page = listPage{repeated: r.repetitions[:n], defined: defined}
		r.repetitions = r.repetitions[n:]
		rows = int64(bytes.Count(c.lists.page.repeated, []byte{0}))
	case present < n:
		onlyHighest(defined, highest)
		c.page.level = defined
	}
	if rows > c.rows {
		return tooMany()
	}
	c.rows -= rows
	return nil
}

// nextRows returns the next n rows; n is at most the last result of ready. They are valid until ready is called again.
func (c *columnReader) nextRows(n int) table.Column {
	switch {
	case c.lists != nil:
		return c.lists.nextRows(n)
	case c.leaf.void:
		return c.takeNulls(n)
	case c.window != nil:
		return c.window.nextRows(n)
	}
	return c.takeFlat(n)
}

// takeFlat returns the next n rows or, in a column of lists, the next n elements.
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
	} else {
		out.Values = c.page.data.values(l, values, &c.buffer.values)
		if out.Valid != nil {
			c.buffer.spreadValues(&out.Values, l.field.Type.Kind, out.Valid)
		}
	}
	if l.nullify {
		scan.Nullify(&out, &c.buffer.valid)
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

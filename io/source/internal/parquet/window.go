package parquet

import (
	"errors"
	"io"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// A scan needs a page of every column, and often a dictionary, at the same time. The writer and the rows decide how
// long they are, so all of them may exceed any limit. A column whose page does not fit is read through a window: a copy
// of some rows, whose length is limited. To fill it, the reader decodes the page and the dictionary, and then drops
// both. To fill it again, it reads them once more and passes over the rows before. So only one such column needs the
// memory of a page and a dictionary at a time, and a page is decoded once for every window of its rows.
//
// A column of lists builds rows from its pages in any case (listrows.go). With a window, it builds fewer, and then
// drops its page.

// window holds copies of the next rows of a column without lists. All values are plain.
type window struct {
	typ    table.Type
	bytes  int64 // the length of values and valid
	values table.Values
	valid  []bool
	nulls  bool
	done   int // the number of rows that were taken
}

// reopening is what a reader needs to open a page again.
type reopening struct {
	page         storedPage
	rows, values int64 // of the reader, before it opened the page
	left         int   // rows of the page (for lists, levels) that are not in a window so far
	taken        int   // rows or levels of the page that are
}

// account updates how much the reader holds.
func (c *columnReader) account() {
	held := c.own.bytes()
	if c.dict != nil {
		v := &c.dict.Values
		held += int64(8*cap(v.Ints) + 8*cap(v.Floats) + 4*cap(v.Offsets) + cap(v.Data))
	}
	if l := c.lists; l != nil {
		held += int64(8*cap(l.elements.memory) + 8*cap(l.elements.coded))
	}
	c.shared.held += held - c.pages.held
	c.pages.held = held
}

// readyWindow is ready for a column with a window.
func (c *columnReader) readyWindow() (int, error) {
	w := c.window
	if n := len(w.valid) - w.done; n > 0 {
		return n, nil
	}
	w.clear(c.shared.window)
	err := c.fillWindow()
	c.drop()
	if n := len(w.valid); n > 0 && (err == nil || errors.Is(err, io.EOF)) {
		return n, nil
	}
	return 0, err
}

// fillWindow copies rows into the window until it is full.
func (c *columnReader) fillWindow() error {
	if err := c.reopen(); err != nil {
		return err
	}
	for {
		have, err := c.readyPage()
		if err != nil {
			return err
		}
		column := c.takeFlat(min(have, scan.BatchRows))
		n := c.window.add(&column, c.shared.window)
		c.opened.left, c.opened.taken = c.opened.left-n, c.opened.taken+n
		if n < column.Len() || c.window.bytes >= c.shared.window {
			return nil
		}
	}
}

// reopen reads the current page again and passes over the rows that were in windows. It does nothing if the page is
// still open, or if all of its rows were in windows.
func (c *columnReader) reopen() error {
	c.buffer = c.shared.buffer
	from := c.opened
	if from.left == 0 || c.page.left > 0 {
		return nil
	}
	c.rows, c.values, c.pages.current = from.rows, from.values, from.page
	body, err := c.pages.again(&from.page)
	if err != nil {
		return err
	}
	if err := c.openDataPage(from.page.header, body); err != nil {
		return err
	}
	c.opened = from
	if c.lists != nil {
		return c.lists.skip(from.taken)
	}
	for taken := from.taken; taken > 0; {
		have, err := c.readyPage()
		if err != nil {
			return err
		}
		n := min(have, taken, scan.BatchRows)
		c.takeFlat(n)
		taken -= n
	}
	return nil
}

// drop drops the current page and the dictionary, and the memory that only this column used.
func (c *columnReader) drop() {
	if c.dict != nil {
		c.dict.Values, c.forgotten = table.Values{}, true
	}
	if l := c.lists; l != nil {
		left := len(l.page.repeated) + c.page.rest.levels
		c.opened.taken, c.opened.left = c.opened.taken+c.opened.left-left, left
		l.page, l.elements = listPage{}, listElements{reader: c}
	}
	*c.own, c.page = pageMemory{}, openPage{}
	c.shared.buffer, c.buffer = c.buffer, rowBuffer{}
	c.account()
}

// readDictionaryAgain reads and decodes the dictionary again, into memory that all columns with windows share.
func (c *columnReader) readDictionaryAgain() error {
	pages, m := c.pages.memory, &c.shared.dictionary
	c.pages.memory = m
	body, err := c.pages.again(&c.stored)
	c.pages.memory = pages
	if err != nil {
		return err
	}
	c.forgotten = false
	return c.decodeDictionary(&c.stored.header.DictionaryPageHeader.V, body, &m.values, &c.shared.converted)
}

// clear drops all rows. It also drops memory that is much longer than most bytes, which one long text needed.
func (w *window) clear(most int64) {
	if int64(cap(w.values.Data)) > 2*most {
		w.values.Data = nil
	}
	v := &w.values
	v.Ints, v.Floats, v.Offsets, v.Data = v.Ints[:0], v.Floats[:0], append(v.Offsets[:0], 0), v.Data[:0]
	w.valid, w.nulls, w.done, w.bytes = w.valid[:0], false, 0, 0
}

// add copies the first rows of a column, up to most bytes in the window, but at least one row into an empty window. It
// returns how many rows it copied.
func (w *window) add(c *table.Column, most int64) int {
	n := c.Len()
	for i := range n {
		null := c.IsNull(i)
		size := int64(9)
		var text []byte
		if c.Type.Kind == table.String {
			if !null {
				text = c.Values.Bytes(c.Index(i))
			}
			size = int64(len(text)) + 5
		}
		if w.bytes += size; w.bytes > most && len(w.valid) > 0 {
			return i
		}
		w.valid, w.nulls = append(w.valid, !null), w.nulls || null
		switch c.Type.Kind {
		case table.String:
			w.values.Data = append(w.values.Data, text...)
			w.values.Offsets = append(w.values.Offsets, uint32(len(w.values.Data)))
		case table.Float:
			w.values.Floats = append(w.values.Floats, c.Values.Floats[c.Index(i)])
		default:
			w.values.Ints = append(w.values.Ints, c.Values.Ints[c.Index(i)])
		}
	}
	return n
}

// nextRows returns the next n rows. They are valid until the window is filled again.
func (w *window) nextRows(n int) table.Column {
	from, to := w.done, w.done+n
	w.done = to
	all := table.Column{Type: w.typ, Values: w.values}
	if w.nulls {
		all.Valid = w.valid
	}
	return all.Slice(from, to)
}

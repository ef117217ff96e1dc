package parquet

import (
	"errors"
	"io"
	"math"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// listRows builds lists from the levels and elements that a column reader decodes. A list may continue in the next
// page.
type listRows struct {
	elements listElements
	shape    *listShape
	page     listPage
	lists    []uint32 // ends of the lists of the rows that are ready
	floats   []float64
	valid    []bool
	nulls    int
	long     bool // the last list has more than scan.MaxListed elements and becomes null
	done     int  // the number of ready rows that were taken
}

// listPage holds those levels of a page that were not used yet.
type listPage struct{ repeated, defined []byte }

// listElements returns one after another the elements that are not null.
type listElements struct {
	reader *columnReader
	floats []float64 // the decoded elements
	used   int       // the number of floats that were used
	memory []float64
	coded  []float64 // if the elements have a dictionary: coded[i] is the number of code i
}

// ready returns how many rows can be taken. If there are none, it first builds some. The error is io.EOF at the end.
func (l *listRows) ready() (int, error) {
	if n := len(l.valid) - l.done; n > 0 {
		return n, nil
	}
	l.valid, l.done, l.nulls = l.valid[:0], 0, 0
	l.lists, l.floats = append(l.lists[:0], 0), l.floats[:0]
	c := l.elements.reader
	var err error
	if c.pages.windowed {
		err = c.reopen()
	}
	if err == nil {
		err = l.fill()
	}
	if c.pages.windowed {
		c.drop()
	} else {
		c.account()
	}
	if n := len(l.valid); n > 0 && (err == nil || errors.Is(err, io.EOF)) {
		return n, nil
	}
	return 0, err
}

// fill builds rows until there are enough for a batch or a window.
func (l *listRows) fill() error {
	for {
		starts, err := l.peek()
		switch {
		case err != nil:
			return err
		case starts && (len(l.valid) >= scan.BatchRows || len(l.floats) >= scan.BatchElements || l.fillsWindow()):
			return nil
		case !starts && len(l.valid) == 0:
			return fault.New(fault.CodeDamaged, "a page begins within a list, not with a row")
		}
		if err := l.add(starts); err != nil {
			return err
		}
	}
}

// fillsWindow reports whether the rows take the memory of a window.
func (l *listRows) fillsWindow() bool {
	most := l.elements.reader.shared.window
	return most > 0 && int64(8*len(l.floats)+5*len(l.valid)) >= most
}

// skip passes over the next n levels, and the elements that these describe.
func (l *listRows) skip(n int) error {
	for range n {
		if _, err := l.peek(); err != nil {
			return err
		}
		defined := l.page.defined[0]
		l.page.repeated, l.page.defined = l.page.repeated[1:], l.page.defined[1:]
		if defined == l.shape.highest {
			if _, err := l.elements.next(); err != nil {
				return err
			}
		}
	}
	return nil
}

// peek reports whether the next level starts a row.
func (l *listRows) peek() (bool, error) {
	for len(l.page.repeated) == 0 {
		if r := l.elements.reader; l.elements.used < len(l.elements.floats) || r.page.left > 0 {
			return false, fault.New(fault.CodeDamaged, "a page has more values than it announces")
		} else if err := r.next(); err != nil {
			return false, err
		}
	}
	return l.page.repeated[0] == 0, nil
}

// add reads the next level and adds what it describes: a row, an element of the last row's list, or both. starts is
// true if the level begins a row.
func (l *listRows) add(starts bool) error {
	defined := l.page.defined[0]
	l.page.repeated, l.page.defined = l.page.repeated[1:], l.page.defined[1:]
	if starts {
		l.long = false
		l.valid = append(l.valid, defined >= l.shape.null)
		l.lists = append(l.lists, uint32(len(l.floats)))
		if defined < l.shape.null {
			l.nulls++
		}
	}
	if defined <= l.shape.null {
		if !starts {
			return fault.New(fault.CodeDamaged, "a list goes on with an element that it cannot have")
		}
		return nil
	}
	x := math.NaN()
	if defined == l.shape.highest {
		var err error
		if x, err = l.elements.next(); err != nil {
			return err
		}
	}
	last := len(l.lists) - 1
	if l.long {
		return nil
	}
	if l.lists[last]-l.lists[last-1] == scan.MaxListed {
		l.floats, l.lists[last] = l.floats[:l.lists[last-1]], l.lists[last-1]
		l.valid[last-1], l.long = false, true
		l.nulls++
		return nil
	}
	l.floats = append(l.floats, x)
	l.lists[last]++
	return nil
}

// nextRows returns the next n rows; n is at most the last result of ready. They are valid until ready is called again.
func (l *listRows) nextRows(n int) table.Column {
	c := table.Column{Type: table.Type{Kind: table.List}, Values: table.Values{Floats: l.floats}}
	c.Lists = l.lists[l.done : l.done+n+1]
	if l.nulls > 0 {
		c.Valid = l.valid[l.done : l.done+n]
	}
	l.done += n
	return c
}

// next returns the next element that is not null.
func (e *listElements) next() (float64, error) {
	if e.used == len(e.floats) {
		n := min(e.reader.page.left, scan.BatchRows)
		if n == 0 {
			return 0, short()
		}
		c := e.reader.takeFlat(n)
		e.floats, e.used = e.decode(&c), 0
	}
	e.used++
	return e.floats[e.used-1], nil
}

// decode returns the numbers of a column that has no nulls.
func (e *listElements) decode(c *table.Column) []float64 {
	if c.Codes == nil {
		e.memory = scan.AppendFloats(e.memory[:0], c)
		return e.memory
	}
	if e.coded == nil {
		e.coded = scan.AppendFloats(nil, &table.Column{Type: c.Type, Values: c.Values})
	}
	e.memory = e.memory[:0]
	for _, code := range c.Codes {
		e.memory = append(e.memory, e.coded[code])
	}
	return e.memory
}

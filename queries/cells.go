package queries

import (
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// grouping finds the cell of each row: the axes' codes as the digits of a number in mixed radix.
type grouping struct {
	axes  []digit
	cells []int32
}

// digit is the codes of an axis, and how much one of them counts in the number of the cell.
type digit struct {
	rowCoder
	stride int32
}

// rowCoder finds the code of each row of a batch in an axis.
type rowCoder interface {
	// ofRows returns the codes, valid until it is called again.
	ofRows(b *table.Batch) ([]int32, error)
}

// only returns the coder of the one axis if there is one axis, of one column; else nil.
func (g *grouping) only() *axisCoder {
	if len(g.axes) != 1 {
		return nil
	}
	x, _ := g.axes[0].rowCoder.(*axisCoder)
	return x
}

// newGrouping makes the coders of all axes for batches of a layout, and reports every column that does not fit.
func newGrouping(axes []axis, l layout) *grouping {
	g := &grouping{axes: make([]digit, len(axes))}
	strides := axisStrides(axes)
	for i := range axes {
		g.axes[i] = digit{axes[i].coder(l), int32(strides[i])}
	}
	return g
}

// layout is where coders find their columns: a schema, and the columns of a batch in their order.
type layout struct {
	schema   table.Schema
	columns  []string
	problems *problems
}

// find returns a column's position in a batch and its type, or reports at field that there is none.
func (l *layout) find(column, field string) (at int, t table.Type, ok bool) {
	f, ok := l.schema.Lookup(column)
	if !ok {
		unknownColumn(column, field, l.schema, l.problems)
	}
	return slices.Index(l.columns, column), f.Type, ok
}

// ofRows returns the cell of each row of a batch, or dropped. They are valid until it is called again; the caller may drop more of them.
func (g *grouping) ofRows(b *table.Batch) ([]int32, error) {
	if len(g.axes) == 1 && b.Keep == nil {
		return g.axes[0].ofRows(b)
	}
	g.cells = resize(g.cells, b.Rows)
	if err := start(g.cells, b.Keep); err != nil {
		return nil, err
	}
	for i := range g.axes {
		codes, err := g.axes[i].ofRows(b)
		if err != nil {
			return nil, err
		}
		digits(g.cells, codes, g.axes[i].stride)
	}
	return g.cells, nil
}

// start puts the rows that are kept in cell 0 and drops the others; nil keeps all.
func start(cells []int32, keep []bool) error {
	clear(cells)
	if keep == nil {
		return nil
	}
	if len(keep) != len(cells) {
		return errShape
	}
	for i, k := range keep {
		if !k {
			cells[i] = dropped
		}
	}
	return nil
}

// digits adds a digit to each cell; a cell is dropped (all bits set) as soon as one digit is.
func digits(cells, codes []int32, stride int32) {
	codes = codes[:len(cells)]
	for i, cell := range cells {
		code := codes[i]
		cells[i] = (cell + code*stride) | cell>>31 | code>>31
	}
}

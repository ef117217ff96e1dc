package domain

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Grouping computes the cell number of each row over several axes. It is a mixed-radix number: the sum of each axis'
// code times the axis' stride.
type Grouping struct {
	Axes  []digit
	cells []int32
}

// digit computes the codes of one axis for a batch, and holds the axis' stride.
type digit struct {
	RowCoder
	stride int32
}

// Only returns the coder of the axis if there is exactly one axis and it reads one column; otherwise it returns nil.
func (g *Grouping) Only() *AxisCoder {
	if len(g.Axes) != 1 {
		return nil
	}
	x, _ := g.Axes[0].RowCoder.(*AxisCoder)
	return x
}

// NewGrouping returns the grouping by some axes. sizes[i] is the number of cells of axis i. The columns of l must have
// been checked.
func NewGrouping(axes []Coding, sizes []int, l BatchColumns) *Grouping {
	g := &Grouping{Axes: make([]digit, len(axes))}
	stride := 1
	for i := len(axes) - 1; i >= 0; i-- {
		g.Axes[i] = digit{axes[i].Coder(l), int32(stride)}
		stride *= sizes[i]
	}
	return g
}

// OfRows returns the cell of each row of a batch, or Dropped. The slice is valid until the next call. The caller may
// overwrite cells with Dropped.
func (g *Grouping) OfRows(b *table.Batch) ([]int32, error) {
	if len(g.Axes) == 1 && b.Keep == nil {
		return g.Axes[0].OfRows(b)
	}
	if len(g.Axes) >= 2 && b.Keep == nil {
		g.cells = columnar.Resize(g.cells, b.Rows)
		return g.cells, g.ofAllRows(b)
	}
	var err error
	if g.cells, err = columnar.Kept(g.cells, b); err != nil {
		return nil, err
	}
	for i := range g.Axes {
		codes, err := g.Axes[i].OfRows(b)
		if err != nil {
			return nil, err
		}
		digits(g.cells, codes, g.Axes[i].stride)
	}
	return g.cells, nil
}

// ofAllRows computes the cells of a batch without filtered rows, for two axes or more. One loop computes the first two
// axes together, for speed.
func (g *Grouping) ofAllRows(b *table.Batch) error {
	first, err := g.Axes[0].OfRows(b)
	if err != nil {
		return err
	}
	second, err := g.Axes[1].OfRows(b)
	if err != nil {
		return err
	}
	twoDigits(g.cells, first, second, g.Axes[0].stride, g.Axes[1].stride)
	for i := range g.Axes[2:] {
		codes, err := g.Axes[2+i].OfRows(b)
		if err != nil {
			return err
		}
		digits(g.cells, codes, g.Axes[2+i].stride)
	}
	return nil
}

// twoDigits computes cells from the codes of two axes. Dropped has all bits set, so a cell is dropped if one of its
// codes is negative.
func twoDigits(cells, first, second []int32, strideFirst, strideSecond int32) {
	first, second = first[:len(cells)], second[:len(cells)]
	for i := range cells {
		a, b := first[i], second[i]
		cells[i] = (a*strideFirst + b*strideSecond) | a>>31 | b>>31
	}
}

// digits adds the codes of another axis, multiplied by stride, to the cells. A cell becomes Dropped (all bits set) if
// its code is Dropped.
func digits(cells, codes []int32, stride int32) {
	codes = codes[:len(cells)]
	for i, cell := range cells {
		code := codes[i]
		cells[i] = (cell + code*stride) | cell>>31 | code>>31
	}
}

package accumulate

import (
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/intern"
)

// Sparse counts the rows of each cell, and holds only cells that have rows. It is for queries with too many cells for
// memory.
type Sparse struct {
	groups *domain.Grouping
	size   int             // the number of cells of the query
	cells  *intern.Uint64s // numbers the cells that have rows, from 0
	rows   []int64         // for each of these numbers, the row count
}

// NewSparse returns totals without rows. size is the number of cells of the query.
func NewSparse(groups *domain.Grouping, size int) *Sparse {
	return &Sparse{groups: groups, size: size, cells: intern.NewUint64s()}
}

// countCell adds rows to the count of a cell.
func (a *Sparse) countCell(cell int32, rows int64) {
	id := int(a.cells.ID(uint64(cell)))
	if id == len(a.rows) {
		a.rows = append(a.rows, 0)
	}
	a.rows[id] = min(a.rows[id]+min(rows, MaxRows), MaxRows)
}

// AddRows implements [Partial].
func (a *Sparse) AddRows(b *table.Batch) error {
	cells, err := a.groups.OfRows(b)
	if err != nil {
		return err
	}
	for _, c := range cells {
		if c >= 0 {
			a.countCell(c, 1)
		}
	}
	return nil
}

// WriteRows implements [Partial].
func (a *Sparse) WriteRows(b *table.Batch, to bounding.Writer) error {
	return writeCells(a.groups, b, to)
}

// Content implements [Partial].
func (a *Sparse) Content() []bounding.Field { return []bounding.Field{bounding.CellField(a.size)} }

// AddRecords implements [Partial].
func (a *Sparse) AddRecords() func(content []byte, rows uint64) {
	return func(content []byte, rows uint64) { a.countCell(bounding.CellOf(content), int64(rows)) }
}

// Merge implements [Partial].
func (a *Sparse) Merge(other Partial) error {
	o, ok := other.(*Sparse)
	if !ok {
		return bounding.ErrMerge
	}
	for id, cell := range o.cells.Keys {
		a.countCell(int32(cell), o.rows[id])
	}
	return nil
}

// Totals returns the counts of the cells that have rows, in the order of the cells.
func (a *Sparse) Totals() Totals {
	order := make([]uint64, len(a.rows))
	for id, cell := range a.cells.Keys {
		order[id] = cell<<32 | uint64(id)
	}
	slices.Sort(order)
	x := &mechanism.Sparse{Cells: a.size, At: make([]int, len(order)), Answers: int128.Narrow(make([]int64, len(order)))}
	for i, o := range order {
		x.At[i], x.Answers.High[i] = int(o>>32), a.rows[uint32(o)]
	}
	return Totals{Sparse: x}
}

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

// Sparse counts rows in a domain with too many cells for memory: it holds only cells that have rows.
type Sparse struct {
	groups *domain.Grouping
	size   int // cells of the domain
	cells  *intern.Uint64s
	rows   []int64 // row counts, in the order in which cells were first seen
}

// NewSparse returns a partial without rows over a domain of size cells.
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

// AddRows counts the rows of a batch that have a cell.
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

// WriteRows writes the cells of the rows of a batch.
func (a *Sparse) WriteRows(b *table.Batch, to bounding.Writer) error {
	return writeCells(a.groups, b, to)
}

// Content returns the field of the cell.
func (a *Sparse) Content() []bounding.Field { return []bounding.Field{bounding.CellField(a.size)} }

// AddRecords returns the function that counts rows by their cell.
func (a *Sparse) AddRecords() func(content []byte, rows uint64) {
	return func(content []byte, rows uint64) { a.countCell(bounding.CellOf(content), int64(rows)) }
}

// Merge adds the counts of another partial.
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

// Totals returns the counts of the cells that have rows.
func (a *Sparse) Totals() (Totals, error) {
	order := make([]uint64, len(a.rows))
	for id, cell := range a.cells.Keys {
		order[id] = cell<<32 | uint64(id)
	}
	slices.Sort(order)
	x := &mechanism.Sparse{Cells: a.size, At: make([]int, len(order)), Answers: int128.Narrow(make([]int64, len(order)))}
	for i, o := range order {
		x.At[i], x.Answers.High[i] = int(o>>32), a.rows[uint32(o)]
	}
	return Totals{Sparse: x}, nil
}

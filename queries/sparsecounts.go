package queries

import (
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/intern"
)

// sparseCells are the counts of the cells that have rows, of a domain too large to hold all.
type sparseCells struct {
	cells *intern.Words
	rows  []int64 // by number of the cell
}

func newSparseCells() *sparseCells { return &sparseCells{cells: intern.NewWords()} }

// add counts rows; there are fewer cells than numbers.
func (s *sparseCells) add(cell int32, rows int64) {
	id := int(s.cells.ID(uint64(cell)))
	if id == len(s.rows) {
		s.rows = append(s.rows, 0)
	}
	s.rows[id] = min(s.rows[id]+min(rows, rowCapacity), rowCapacity)
}

// seal hides the counts of a domain of some cells.
func (s *sparseCells) seal(size int) ([]mechanism.Exact, error) {
	order := make([]uint64, len(s.rows))
	for id, cell := range s.cells.Keys {
		order[id] = cell<<32 | uint64(id)
	}
	slices.Sort(order)
	x := mechanism.Sparse{Cells: size, At: make([]int, len(order)), Answers: int128.Narrow(make([]int64, len(order)))}
	for i, o := range order {
		x.At[i], x.Answers.High[i] = int(o>>32), s.rows[uint32(o)]
	}
	e, err := mechanism.SealSparse(1, x)
	if err != nil {
		return nil, err
	}
	return []mechanism.Exact{e}, nil
}

// sparse says that accumulators hold the cells that have rows and not all. Kernels spread rows over all cells.
func (q *counting) sparse(s bounding.Spill) bool { return s != nil && q.sparseAbove(s.Cells()) }

func (q *counting) sparseAbove(most int64) bool { return q.kernel == nil && int64(q.cells) > most }

// sparseCounts is rowCounts for a domain too large to hold all cells.
type sparseCounts struct {
	query  *counting
	groups *domain.Grouping
	cells  *sparseCells // nil: spent
}

// Add counts the rows of a batch that have a cell.
func (a *sparseCounts) Add(b *table.Batch) error {
	if a.cells == nil {
		return bounding.ErrSpent
	}
	cells, err := a.groups.OfRows(b)
	if err != nil {
		return err
	}
	for _, c := range cells {
		if c >= 0 {
			a.cells.add(c, 1)
		}
	}
	return nil
}

// Merge adds another's counts.
func (a *sparseCounts) Merge(other Accumulator) error {
	o, ok := other.(*sparseCounts)
	switch {
	case !ok || o == a || o.query != a.query:
		return bounding.ErrMerge
	case a.cells == nil || o.cells == nil:
		return bounding.ErrSpent
	}
	for id, cell := range o.cells.cells.Keys {
		a.cells.add(int32(cell), o.cells.rows[id])
	}
	o.cells = nil
	return nil
}

// Seal returns the counts.
func (a *sparseCounts) Seal() ([]mechanism.Exact, error) {
	if a.cells == nil {
		return nil, bounding.ErrSpent
	}
	cells := a.cells
	a.cells = nil
	return cells.seal(a.query.cells)
}

package queries

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
)

// unitCounts counts the rows of units in each cell. It keeps all of them: bounds are enforced when it is sealed, on the whole
// of a unit's rows.
type unitCounts struct {
	query  *counting
	groups *domain.Grouping
	rows   *bounding.Rows // nil: spent
	boundCount
	sparse bool // the domain is too large to hold all cells
}

// Add keeps the rows of a batch that have a cell and a unit.
func (a *unitCounts) Add(b *table.Batch) error {
	if a.rows == nil {
		return bounding.ErrSpent
	}
	cells, err := a.groups.OfRows(b)
	if err != nil {
		return err
	}
	return a.rows.AddCells(b, cells)
}

// Merge takes in another's rows.
func (a *unitCounts) Merge(other Accumulator) error {
	o, ok := other.(*unitCounts)
	if !ok || o == a || o.query != a.query {
		return bounding.ErrMerge
	}
	if err := a.rows.Merge(o.rows); err != nil {
		return err
	}
	o.rows = nil
	return nil
}

// Seal bounds what each unit contributes and returns the counts of the kept rows.
func (a *unitCounts) Seal() ([]mechanism.Exact, error) {
	if a.rows == nil {
		return nil, bounding.ErrSpent
	}
	if a.sparse {
		return a.sealSparse()
	}
	cells := make([]int64, a.query.cells)
	var err error
	a.tally, err = a.rows.Bound(a.query.limits, func(content []byte, rows uint64) { cells[bounding.CellOf(content)] += int64(rows) })
	if a.rows = nil; err != nil {
		return nil, err
	}
	return a.query.seal(cells)
}

func (a *unitCounts) sealSparse() ([]mechanism.Exact, error) {
	cells := newSparseCells()
	var err error
	a.tally, err = a.rows.Bound(a.query.limits, func(content []byte, rows uint64) { cells.add(bounding.CellOf(content), int64(rows)) })
	if a.rows = nil; err != nil {
		return nil, err
	}
	return cells.seal(a.query.cells)
}

// Bounded returns the tally of an accumulator that is sealed; that of one without units is 0.
func Bounded(a Accumulator) bounding.BoundTally {
	if x, ok := a.(interface{ bounded() bounding.BoundTally }); ok {
		return x.bounded()
	}
	return bounding.BoundTally{}
}

// boundCount holds the tally of a sealed accumulator.
type boundCount struct{ tally bounding.BoundTally }

func (c *boundCount) bounded() bounding.BoundTally { return c.tally }

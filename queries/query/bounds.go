package query

import (
	"math"

	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Adjacency describes which tables are neighbours.
type Adjacency = sensitivity.Adjacency

// The adjacencies.
const (
	AddRemove  = sensitivity.AddRemove
	ReplaceOne = sensitivity.ReplaceOne
)

// Bounds limit how much one privacy unit contributes to a query. 0 means that a bound is not set.
type Bounds struct {
	MaxRows         int64 // rows in all (k; a bound on the L1 norm)
	MaxGroups       int64 // cells with a row (a bound on the L0 norm)
	MaxRowsPerGroup int64 // rows in one cell (m; a bound on the Linf norm)
}

// Resolve computes the bounds that are not set from the other bounds and the number of cells of the domain. If a bound
// that is needed can't be computed, missing is its name in the job.
func (b Bounds) Resolve(cells int) (l bounding.Limits, missing string) {
	l = bounding.Limits{Rows: b.MaxRows, Cells: int64(cells), RowsPerCell: b.MaxRowsPerGroup}
	if b.MaxGroups > 0 {
		l.Cells = min(l.Cells, b.MaxGroups)
	}
	if l.Rows == 0 && l.RowsPerCell == 0 {
		return l, "max_rows (or max_groups and max_rows_per_group)"
	}
	if l.Rows == 0 && b.MaxGroups == 0 && cells > 1 {
		return l, "max_rows or max_groups"
	}
	if l.Rows == 0 {
		l.Rows = math.MaxInt64
	}
	if l.RowsPerCell == 0 {
		l.RowsPerCell = l.Rows
	}
	l.RowsPerCell = min(l.RowsPerCell, l.Rows)
	l.Rows = min(l.Rows, product(l.Cells, l.RowsPerCell))
	return l, ""
}

// product returns a·b for positive a and b, at most math.MaxInt64.
func product(a, b int64) int64 {
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

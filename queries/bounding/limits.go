package bounding

// Limits are the bounds of a unit's contribution. All are set and consistent: at least 1, Rows at most
// Cells·RowsPerCell, and RowsPerCell at most Rows.
type Limits struct {
	Rows        int64 // k: rows of a unit
	Cells       int64 // L: cells in which a unit has rows
	RowsPerCell int64 // m: rows of a unit in each cell
}

// capped returns how many of n rows of a unit fit in a cell.
func (l Limits) capped(n uint64) int64 {
	if n > uint64(l.RowsPerCell) {
		return l.RowsPerCell
	}
	return int64(n)
}

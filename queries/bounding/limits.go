package bounding

// Limits are the bounds on the rows that a unit contributes. Each is at least 1, Rows is at most Cells·RowsPerCell, and
// RowsPerCell is at most Rows.
type Limits struct {
	Rows        int64 // k: rows of a unit
	Cells       int64 // L: cells in which a unit has rows
	RowsPerCell int64 // m: rows of a unit in each cell
}

// capped returns how many of a unit's n rows in a cell may be kept, before the limit on all rows.
func (l Limits) capped(n uint64) int64 {
	if n > uint64(l.RowsPerCell) {
		return l.RowsPerCell
	}
	return int64(n)
}

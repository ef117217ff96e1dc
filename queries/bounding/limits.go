package bounding

// Limits are the bounds of a unit's contribution. All are set and consistent: at least 1, Rows at most Groups·PerGroup,
// and PerGroup at most Rows.
type Limits struct {
	Rows     int64 // k: rows of a unit
	Groups   int64 // L: cells in which a unit has rows
	PerGroup int64 // m: rows of a unit in each cell
}

// capped returns how many of n rows of a unit fit in a cell.
func (l Limits) capped(n uint64) int64 {
	if n > uint64(l.PerGroup) {
		return l.PerGroup
	}
	return int64(n)
}

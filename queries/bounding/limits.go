package bounding

// Limits are bounds without gaps: at least 1, k at most L·m and m at most k.
type Limits struct {
	Rows     int64 // k
	Groups   int64 // L
	PerGroup int64 // m
}

// capped returns how many of n rows of a unit fit in a cell.
func (l Limits) capped(n uint64) int64 {
	if n > uint64(l.PerGroup) {
		return l.PerGroup
	}
	return int64(n)
}

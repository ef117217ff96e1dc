package queries

// limits are bounds without gaps: at least 1, k at most L·m and m at most k.
type limits struct {
	rows     int64 // k
	groups   int64 // L
	perGroup int64 // m
}

// capped returns how many of n rows of a unit fit in a cell.
func (l limits) capped(n uint64) int64 {
	if n > uint64(l.perGroup) {
		return l.perGroup
	}
	return int64(n)
}

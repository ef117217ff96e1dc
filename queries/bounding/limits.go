package bounding

// Limits bound the rows that a privacy unit contributes to a query. Each is at least 1, Rows is at most
// Cells·RowsPerCell, and RowsPerCell is at most Rows.
type Limits struct {
	Rows        int64 // k: the largest number of rows of a unit
	Cells       int64 // L: the largest number of cells in which a unit has rows
	RowsPerCell int64 // m: the largest number of rows of a unit in one cell
}

// capped returns how many of a unit's n rows in one cell RowsPerCell allows: min(n, RowsPerCell).
func (l Limits) capped(n uint64) int64 {
	if n > uint64(l.RowsPerCell) {
		return l.RowsPerCell
	}
	return int64(n)
}

// Bounded is the limits of a query and the function that receives the kept rows: Ranked if it is not nil, else KeepOf
// if it is not nil, else Keep. One goroutine at a time calls these functions.
type Bounded struct {
	Limits Limits
	// Keep receives a content, and how many rows of one unit with this content are kept.
	Keep   func(content []byte, rows uint64)
	Ranked *Ranked // if the bound on rows is chosen later
	// KeepOf receives each kept content of a unit once, and how many different contents of the unit are kept. A content
	// is the cell and the value of a row.
	KeepOf func(content []byte, contents int)
}

// BoundTally counts, for one query, the rows that have a cell, a value and a unit (Rows), how many of these the limits
// drop (Cut), and the units with a kept row (Units). The counts are exact and private: only the operator may see them.
type BoundTally struct{ Rows, Cut, Units int64 }

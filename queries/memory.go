package queries

// sized is a query that knows what its cells take.
type sized interface {
	bytes(workers int, most int64) int64
}

// Bytes returns how much memory the cells of a query's exact answer take while some workers gather it, and where its noise is drawn:
// a copy each if rows are units, else one. A domain of more than most cells is held sparsely, if the query can, and then takes
// nothing here. The rows of units come on top.
func Bytes(q Query, workers int, most int64) int64 {
	if s, ok := q.(sized); ok {
		return s.bytes(workers, most)
	}
	return 8 * int64(q.Cells()) * int64(workers)
}

func (q *counting) bytes(workers int, most int64) int64 {
	if q.sparseAbove(most) {
		return 0
	}
	n := 8 * int64(q.cells) * max(q.copies(workers), 2)
	if q.kernel != nil {
		n += 16 * int64(q.cells) // the sums that rows are spread to
	}
	return n
}

func (q *discovering) bytes(int, int64) int64 { return 0 } // no cell is known

func (q *summing) bytes(workers int, _ int64) int64 {
	n := 16*int64(q.Cells()) + 8*int64(q.cells)
	if q.kind.extra().squares || q.spec.perRow() && newPlainSums(q) != nil {
		n += 16 * int64(q.cells)
	}
	return n * q.copies(workers)
}

// copies is how many accumulators have cells of their own.
func (q *counting) copies(workers int) int64 {
	if q.spec.perRow() {
		return int64(workers)
	}
	return 1
}

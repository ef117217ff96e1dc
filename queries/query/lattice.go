package query

// Lattice describes tables that agree with each other, because each of them is a sum of one table by all dimensions.
//
// A dimension has levels. Level 0 is one group: the sum over the dimension. Each further level divides the groups of the
// level before it. The groups of the last level are the dimension's own cells.
type Lattice struct {
	// First[d][l][g] is the first group of level l+1 in group g of level l of dimension d. The groups in g+1 come after
	// the groups in g. The last item is the number of groups of level l+1.
	First [][][]int32
	// Tables[k][d] is the level of dimension d in table k. In the order of the cells, the last dimension is the fastest.
	Tables [][]int
	// Public has the levels of tables that are public and not among Tables, such as public totals.
	Public [][]int
	// Step is the smallest difference between two estimates that matters, if no estimate is negative; otherwise it is 0.
	Step float64
}

// Agreeing is a query whose answer has only tables that agree with each other, as its readings.
type Agreeing interface {
	// Lattice describes the tables of the answer's readings, in order.
	Lattice() Lattice
}

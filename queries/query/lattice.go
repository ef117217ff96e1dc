package query

// Lattice describes tables that agree with each other because all are sums of one table: each of them adds that table
// up over some groups of each dimension.
//
// A dimension has levels. Level 0 has one group, the total over the dimension. Each further level divides the groups of
// the level before it. The groups of the last level are the dimension's own cells.
type Lattice struct {
	// First[d][l][g] is the first group of level l+1 in group g of level l of dimension d. The groups in g+1 come after
	// the groups in g. The last item is the number of groups of level l+1.
	First [][][]int32
	// Tables[k][d] is the level of dimension d in table k. The cells of a table are in row-major order: the group of
	// the last dimension changes fastest.
	Tables [][]int
	// Public lists further tables, in the form of Tables, whose cells are public, such as public totals.
	Public [][]int
	// Step is the smallest difference between two estimates that matters, if no estimate is negative; otherwise it is 0.
	Step float64
}

// Agreeing is a query whose answer has only tables that agree with each other, as its readings.
type Agreeing interface {
	// Lattice describes the tables of the answer's readings, in order.
	Lattice() Lattice
}

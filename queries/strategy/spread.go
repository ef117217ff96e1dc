package strategy

// Bounds limit the contribution of one unit to a query, all at least 1: Rows in all, in at most Cells cells, at most
// RowsPerCell in one cell.
type Bounds struct{ Rows, Cells, RowsPerCell int64 }

// Spread holds the variances of the estimated sums of the first 1, …, n cells, their covariances with the last sum, and
// the variances of the n cells themselves, which are differences of neighbouring sums.
type Spread struct {
	Variance, WithLast, Cells []float64
	// Heavy is set if the cells have independent Laplace or geometric noise of one deviation instead of Gaussian noise.
	Heavy bool
}

package strategy

// Bounds limit the rows that one unit contributes to a query: at most Rows in all, in at most Cells cells, at most
// RowsPerCell in each cell. All are at least 1.
type Bounds struct{ Rows, Cells, RowsPerCell int64 }

// Spread holds variances for the cumulative counts of n cells: of each cumulative count, its covariance with the last
// one, and the variance of each cell, which is the difference of two of them.
type Spread struct {
	Variance, WithLast, Cells []float64
	// Heavy is set if the cells have independent Laplace or geometric noise, all with the same deviation, instead of
	// Gaussian noise.
	Heavy bool
}

package strategy

// Bounds limits the rows that one unit contributes to a query: at most Rows rows in all, in at most Cells cells, at
// most RowsPerCell in each cell. All three are at least 1.
type Bounds struct{ Rows, Cells, RowsPerCell int64 }

// Spread holds variances for the n cumulative counts of n cells. Variance[i] is the variance of cumulative count i,
// WithLast[i] its covariance with the last one, and Cells[i] the variance of cell i, the difference of two neighbours.
type Spread struct {
	Variance, WithLast, Cells []float64
	// Heavy is set if the cells have independent Laplace or geometric noise, whose tails are heavier than those of
	// Gaussian noise. All cells then have the same standard deviation.
	Heavy bool
}

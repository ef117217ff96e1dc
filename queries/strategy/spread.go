package strategy

import "math/big"

// Bounds limits the rows that one unit contributes to a query: at most Rows rows in all, in at most Cells cells, at
// most RowsPerCell in each cell. All three are at least 1.
type Bounds struct{ Rows, Cells, RowsPerCell int64 }

// rest returns how many rows of a unit remain after it has filled as many cells as possible.
func (b Bounds) rest() int64 {
	if full := b.full(); full < b.Cells {
		return b.Rows - full*b.RowsPerCell
	}
	return 0
}

// full returns how many cells a unit can fill with RowsPerCell rows each.
func (b Bounds) full() int64 { return min(b.Cells, b.Rows/b.RowsPerCell) }

// fullest describes a unit that fills as many cells as possible with RowsPerCell rows and has rest rows in one more
// cell. It returns the number of the unit's rows, and the sum of the squares of its counts.
func (b Bounds) fullest(rest int64) (rows, squares *big.Int) {
	rows = new(big.Int).Mul(big.NewInt(b.full()), big.NewInt(b.RowsPerCell))
	squares = new(big.Int).Mul(rows, big.NewInt(b.RowsPerCell))
	r := big.NewInt(rest)
	rows.Add(rows, r)
	return rows, squares.Add(squares, r.Mul(r, r))
}

// norm2 returns the largest squared norm of the row counts of one unit. A unit attains it if it fills as many cells as
// possible with RowsPerCell rows and has the remaining rows in one more cell.
func (b Bounds) norm2() *big.Int {
	_, squares := b.fullest(b.rest())
	return squares
}

// Spread holds variances for the n cumulative counts of n cells. Variance[i] is the variance of cumulative count i,
// WithLast[i] its covariance with the last one, and Cells[i] the variance of cell i, the difference of two neighbours.
type Spread struct {
	Variance, WithLast, Cells []float64
	// Heavy is set if the cells have independent Laplace or geometric noise, whose tails are heavier than those of
	// Gaussian noise. All cells then have the same standard deviation.
	Heavy bool
}

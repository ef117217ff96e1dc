package strategy

import (
	"math/big"

	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// fullest describes a unit that fills as many cells as possible with RowsPerCell rows and has rest rows in one more
// cell. It returns the number of the unit's rows, and the sum of the squares of its counts.
func fullest(b bounding.Limits, rest int64) (rows, squares *big.Int) {
	full, _ := sensitivity.Filled(b, b.Cells)
	rows = new(big.Int).Mul(big.NewInt(full), big.NewInt(b.RowsPerCell))
	squares = new(big.Int).Mul(rows, big.NewInt(b.RowsPerCell))
	r := big.NewInt(rest)
	rows.Add(rows, r)
	return rows, squares.Add(squares, r.Mul(r, r))
}

// Spread holds variances for the n cumulative counts of n cells. Variance[i] is the variance of cumulative count i,
// WithLast[i] its covariance with the last one, and Cells[i] the variance of cell i, the difference of two neighbours.
type Spread struct {
	Variance, WithLast, Cells []float64
	// Heavy is set if the cells have independent Laplace or geometric noise, whose tails are heavier than those of
	// Gaussian noise. All cells then have the same standard deviation.
	Heavy bool
}

package kinds

import (
	"errors"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/queries/query"
)

// Published values read back
//
// The columns of a released table hold every noisy vector that its answer was made of. A count, histogram or sum is its
// noisy column. A mean or variance over a private number of rows has its components as further columns. A mean of a
// public number of terms is an invertible function of its sum. Each noisy value is a multiple of its mechanism's grid,
// a power of two, so that it is read back without any rounding, or not at all.

// errInexact means that published values cannot be from a release of the query.
var errInexact = errors.New("its values are not multiples of the grid, or do not tell them exactly")

// ToMultiples returns values as multiples of a grid, a power of two.
func ToMultiples(values []float64, grid float64) ([]int64, error) {
	const end = 1 << 63
	multiples := make([]int64, len(values))
	for i, v := range values {
		switch k := v / grid; {
		case k != math.Trunc(k) || k < -end || k > end || k*grid != v: // also of NaN
			return nil, errInexact
		case k == end: // the value to which the largest multiple was rounded
			multiples[i] = math.MaxInt64
		default:
			multiples[i] = int64(k)
		}
	}
	return multiples, nil
}

// recoverVectors is Recover for columns that are the components themselves.
func recoverVectors(cells int, grids []float64, columns ...[]float64) (out query.Recovered, err error) {
	if len(grids) != len(columns) {
		return out, errInexact
	}
	for i, c := range columns {
		if len(c) != cells {
			return out, fmt.Errorf("it has %d values, not %d", len(c), cells)
		}
		multiples, err := ToMultiples(c, grids[i])
		if err != nil {
			return out, err
		}
		out.Multiples = append(out.Multiples, multiples)
	}
	return out, nil
}

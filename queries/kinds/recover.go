package kinds

import (
	"errors"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/queries/query"
)

// Reading published values back
//
// A released table holds every noisy vector from which its answer was computed. For a count, histogram or sum, this is
// the column noisy. A mean or variance of a private number of rows has its noisy sums and counts in further columns. A
// mean of a public number of rows can be converted back to its sum. Each noisy value is a multiple of its mechanism's
// grid, a power of two. So it is either read back exactly, or an error is returned.

// errInexact means that these values cannot be from a release of the query.
var errInexact = errors.New("its values are not multiples of the grid, or do not tell them exactly")

// ToMultiples returns each value divided by the grid, which is a power of two. It returns an error if a result is not
// an integer.
func ToMultiples(values []float64, grid float64) ([]int64, error) {
	const end = 1 << 63
	multiples := make([]int64, len(values))
	for i, v := range values {
		switch k := v / grid; {
		case k != math.Trunc(k) || k < -end || k > end || k*grid != v: // true for NaN, too
			return nil, errInexact
		case k == end: // 2^63 - 1, the largest multiple, is rounded to 2^63 as a float64
			multiples[i] = math.MaxInt64
		default:
			multiples[i] = int64(k)
		}
	}
	return multiples, nil
}

// recoverVectors returns the noisy vectors of the components as multiples of their grids.
func recoverVectors(grids []float64, vectors ...[]float64) (out query.Recovered, err error) {
	if len(grids) != len(vectors) {
		return out, errInexact
	}
	for i, v := range vectors {
		multiples, err := ToMultiples(v, grids[i])
		if err != nil {
			return out, err
		}
		out.Multiples = append(out.Multiples, multiples)
	}
	return out, nil
}

// recoverColumns does the same for queries of which released columns are the noisy vectors, with a value for each of
// the cells.
func recoverColumns(cells int, grids []float64, columns ...[]float64) (query.Recovered, error) {
	for _, c := range columns {
		if len(c) != cells {
			return query.Recovered{}, fmt.Errorf("it has %d values, not %d", len(c), cells)
		}
	}
	return recoverVectors(grids, columns...)
}

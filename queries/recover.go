package queries

import (
	"errors"
	"fmt"
	"math"
)

// Published values read back
//
// The columns of a released table hold every noisy vector that its answer was made of: a count, histogram or sum is its noisy column, a mean
// or variance over a private number of rows has its components as further columns, and a mean of a public number of terms is an invertible
// function of its sum. Each noisy value is a multiple of its mechanism's grid, a power of two, so that it is read back without any
// rounding, or not at all.

// Columns are those columns of a released table from which its noisy vectors are read back: a row a cell, in the order of the cells. A
// value that is not there is NaN.
type Columns struct {
	// Keys are the key columns as text, by column; needed if keys were discovered.
	Keys  [][]string
	Noisy []float64
	// Extra are the columns after the interval, in order.
	Extra [][]float64
}

// Recovered are the noisy vectors of a query's components, in multiples of the grids of their mechanisms.
type Recovered struct {
	Units [][]int64
	// Keys are the selected keys as [mechanism.Noisy] has them; nil if keys are listed.
	Keys []string
}

// errInexact says that published values are not what a release of the query has.
var errInexact = errors.New("its values are not multiples of the grid, or do not tell them exactly")

// toUnits returns values as multiples of a grid, a power of two.
func toUnits(values []float64, grid float64) ([]int64, error) {
	const end = 1 << 63
	units := make([]int64, len(values))
	for i, v := range values {
		switch k := v / grid; {
		case k != math.Trunc(k) || k < -end || k > end || k*grid != v: // also of NaN
			return nil, errInexact
		case k == end: // what the largest multiple was rounded to
			units[i] = math.MaxInt64
		default:
			units[i] = int64(k)
		}
	}
	return units, nil
}

// recoverComponents is Recover of columns that are the components themselves.
func recoverComponents(cells int, grids []float64, columns ...[]float64) (out Recovered, err error) {
	if len(grids) != len(columns) {
		return out, errInexact
	}
	for i, c := range columns {
		if len(c) != cells {
			return out, fmt.Errorf("it has %d values, not %d", len(c), cells)
		}
		units, err := toUnits(c, grids[i])
		if err != nil {
			return out, err
		}
		out.Units = append(out.Units, units)
	}
	return out, nil
}

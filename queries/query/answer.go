package query

import "github.com/dprelease/dprelease/queries/domain"

// Series yields the values of the cells from start on into dst.
type Series func(start int, dst []float64)

// HeldSeries yields values that are held in memory.
func HeldSeries(values []float64) Series {
	return func(start int, dst []float64) { copy(dst, values[start:]) }
}

// Answer is a query's public result, cell by cell. NaN stands for no value.
type Answer struct {
	Cells    int
	Keys     []domain.KeyColumn
	Noisy    Series
	Estimate Series
	// Sigma is the published standard deviation of Noisy, Low and High its 95 % interval.
	Sigma, Low, High Series
	// Extra are further columns: the noisy components from which the answer was computed.
	Extra []Extra
	// Readings are tables that were computed from the answer.
	Readings []Reading
}

// Extra is a further column of an answer.
type Extra struct {
	Name   string
	Values Series
}

// Reading is a table that was computed from an answer: Noisy and Sigma are not set.
type Reading struct {
	Name   string // quantiles or cdf
	Answer Answer
}

// Columns are the columns of a released table from which its noisy vectors are read back: one row for each cell, in the
// order of the cells. A missing value is NaN.
type Columns struct {
	// Keys are the key columns as text, by column; needed if keys were discovered.
	Keys  [][]string
	Noisy []float64
	// Extra are the columns after the interval, in order.
	Extra [][]float64
}

// Recovered are the noisy vectors of a query's components, as multiples of the grids of their mechanisms.
type Recovered struct {
	Multiples [][]int64
	// Keys are the selected keys as [mechanism.Noisy] has them; nil if keys are listed.
	Keys []string
}

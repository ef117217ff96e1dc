package query

import "github.com/dprelease/dprelease/queries/domain"

// Series writes the values of the cells start, start+1, … to dst, until dst is full.
type Series func(start int, dst []float64)

// HeldSeries yields values that are held in memory.
func HeldSeries(values []float64) Series {
	return func(start int, dst []float64) { copy(dst, values[start:]) }
}

// Answer is a query's public result, with a number in each column for each cell. NaN means that there is no value.
type Answer struct {
	Cells    int
	Keys     []domain.KeyColumn
	Noisy    Series
	Estimate Series
	// Sigma is the published standard deviation of Noisy. Low and High are the ends of its 95 % interval.
	Sigma, Low, High Series
	// Extra are further columns: noisy numbers from which the answer was computed.
	Extra []Extra
	// Readings are tables that were computed from the answer, such as quantiles.
	Readings []Reading
}

// Extra is a further column of an answer.
type Extra struct {
	Name   string
	Values Series
}

// Reading is a table that was computed from an answer. Its Noisy and Sigma are not set.
type Reading struct {
	Name   string // quantiles or cdf
	Answer Answer
}

// Columns are the columns of a released table, with one row for each cell, in order. A query's Recover reads its noisy
// vectors from them. A missing value is NaN.
type Columns struct {
	// Keys are the key columns as text, by column; needed if keys were discovered.
	Keys  [][]string
	Noisy []float64
	// Extra are the columns after the interval, in order.
	Extra [][]float64
}

// Recovered are the noisy vectors of a query's components, as integers: multiples of each mechanism's grid.
type Recovered struct {
	Multiples [][]int64
	// Keys are the selected keys, in the form that [mechanism.Noisy] has; nil if keys are listed.
	Keys []string
}

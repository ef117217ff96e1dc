// Package query defines what a query is: its public facts ([Spec], [Bounds]), its methods and their results ([Query],
// [Component]), and its released result ([Answer]). Package queries makes the queries; the kinds are in queries/kinds.
package query

import (
	"context"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/tally"
)

// Component is one noisy vector of a query. It holds what calibrating its noise needs.
type Component struct {
	Name string // name of the component; "" if the query has one component, which is its answer
	Sens calibrate.Sensitivity
	// Cells is the length of the component's vector.
	Cells int
	// Quantum is the power of two of which every exact answer is a multiple: 1 for counts.
	Quantum float64
	// RowBound is the largest absolute value that one row adds to a cell: 1 for counts.
	RowBound float64
	// Scale converts the component's unit to the answer's: it is 1/n for a mean of a public number n of rows, otherwise
	// 1.
	Scale float64
	// Keys is the largest number of keys in which a unit counts, if cells are discovered keys ([mechanism.SelectKeys]);
	// otherwise 0.
	Keys int64
	// MinUnits is the pre-threshold of discovered keys: keys with fewer units are dropped before noise is added; 0 means
	// 1.
	MinUnits int64
	// Weighted is set if a unit adds a weight to each of its keys, instead of 1, when keys are selected; see
	// [KeyWeigher].
	Weighted bool
	// Weight decides the component's fraction of the query's mu², relative to the query's other components.
	Weight float64
	// L1 is the L1 sensitivity, for noise with delta 0; 0 if the component can have Gaussian noise only. WhyL1 is the
	// one-line argument for it.
	L1    float64
	WhyL1 string
	// Cost is for noise with delta 0: the query's loss if the noise of each cell has variance 1. The loss is the sum of
	// squared errors in the cells, in units of the largest value that one row adds to a cell. For counts, Cost is the
	// number of cells.
	Cost float64
}

// Query is a checked query: what to compute, how much noise it needs, and how noisy vectors become an answer.
type Query interface {
	// Name returns the query's name.
	Name() string
	// Columns returns the input columns that the query needs, each once, in order of first use.
	Columns() []string
	// Cells returns the number of cells of the answer; 0 if its keys are discovered.
	Cells() int
	// Components returns the query's components for an adjacency. Errors are of type *problem.Error.
	Components(Adjacency) ([]Component, error)
	// Aggregation returns the totals of a table with this schema that the query needs. Errors are of type *problem.Error.
	Aggregation(table.Schema) (*aggregation.Aggregation, error)
	// Hide makes the exact answer of each component from the totals.
	Hide(accumulate.Totals) ([]mechanism.Exact, error)
	// Tally makes a tally for the operator, which counts rows that the query cannot use, for a table with this schema.
	// Batches must hold the columns of Columns, in order.
	Tally(table.Schema) (*tally.Tally, error)
	// Finish makes the public answer. noisy holds the components' noisy vectors, estimate the same vectors after
	// denoising. If the context ends, Finish returns the cause.
	Finish(ctx context.Context, noisy, estimate []mechanism.Noisy) (Answer, error)
	// Recover is the inverse of Finish: it reads the components' noisy vectors back from the columns of a released answer,
	// exactly, or returns an error. The second argument holds the grid of each component's mechanism.
	Recover(Columns, []float64) (Recovered, error)

	// HalfWidth is for answers that are divided by a private number of rows. It returns at least the half-width of a
	// cell's 95 % interval, times the number of rows in the cell, if this number far exceeds its noise. ok is false for
	// other answers. Item i of the argument is the mechanism of component i.
	HalfWidth([]calibrate.Mechanism) (overRows float64, ok bool)
	// Directions returns the dimensions of the first component's vector, the last one fastest; nil for a single number.
	Directions() []domain.Direction
	// LooksEmpty reports whether the noisy vectors could be noise alone, because the input has no usable row. It may
	// always return false.
	LooksEmpty(noisy []mechanism.Noisy) bool
	// Bytes returns the memory in bytes for the cells of the exact answer, while this number of workers add up rows and
	// while noise is drawn. Each worker has a copy of the cells if each row is a unit, otherwise there is one. It returns
	// 0 if the domain has more than maxDense cells and the query can hold only cells with rows. The rows of units are not
	// included.
	Bytes(workers int, maxDense int64) int64
}

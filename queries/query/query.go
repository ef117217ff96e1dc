// Package query has the parts of a query: its public facts ([Spec], [Bounds]), the statements and computations of its
// kind ([Query], [Component]), and its released result ([Answer]). Package queries makes the queries; the kinds are in
// queries/kinds.
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

// Component is one mechanism of a query, as calibration needs it.
type Component struct {
	Name string // "" if the query has one component, which is its answer
	Sens calibrate.Sensitivity
	// Cells is the length of the component's vector.
	Cells int
	// Quantum is the power of two of which every exact answer is a multiple: 1 for counts.
	Quantum float64
	// RowBound is the largest absolute value that one row adds to a cell: 1 for counts.
	RowBound float64
	// Scale converts the component's unit to the answer's: 1/n for a mean of a public number n of values, and else 1.
	Scale float64
	// Keys is the number of keys in which a unit counts, if cells are private keys to be selected
	// ([mechanism.SelectKeys]); else 0.
	Keys int64
	// MinUnits is the least number of units of a key, if keys are to be selected: keys of fewer units are dropped
	// before; 0 stands for 1.
	MinUnits int64
	// Weighted is set if keys are to be selected by weights of units; see [KeyWeigher].
	Weighted bool
	// Weight is the component's share of the query's mu², relative to the query's other components.
	Weight float64
	// L1 is the L1 sensitivity, for noise with delta 0, and WhyL1 the one-line argument for it; 0 if the component is
	// for Gaussian noise alone.
	L1    float64
	WhyL1 string
	// Cost is the query's loss if the noise in each cell has variance 1, for noise with delta 0. The loss is the sum of
	// the squared errors in the cells, in units of the largest value that one row adds to a cell: for counts, Cost is
	// the number of cells.
	Cost float64
}

// Query is a query and its public facts.
type Query interface {
	// Name returns the query's name.
	Name() string
	// Columns returns the input columns that the query needs, each once, in order of first use.
	Columns() []string
	// Cells returns the length of the answer; 0 if its keys are discovered.
	Cells() int
	// Components returns the query's components for an adjacency. Errors are of type *problem.Error.
	Components(Adjacency) ([]Component, error)
	// Aggregation returns the totals of a table that the query needs, over all rows. Errors are of type *problem.Error.
	Aggregation(table.Schema) (*aggregation.Aggregation, error)
	// Hide returns the exact answer of each component, made from the totals.
	Hide(accumulate.Totals) ([]mechanism.Exact, error)
	// Tally compiles a tally of the rows that the query cannot use, for the operator, against the same schema. Each
	// batch will hold the columns of Columns, in that order.
	Tally(table.Schema) (*tally.Tally, error)
	// Finish makes the public answer of the components' noisy vectors, before and after denoising. If the context ends,
	// it returns the cause.
	Finish(ctx context.Context, noisy, estimate []mechanism.Noisy) (Answer, error)
	// Recover reads the components' noisy vectors back from the columns of a released answer, given the grid of each
	// one's mechanism. It is the inverse of Finish: exact, or an error.
	Recover(Columns, []float64) (Recovered, error)

	// HalfWidth returns at least half the width of a cell's 95 % interval times the number of its rows, if the answer
	// is divided by a private number of rows and that number is well above its noise; ok is false for other answers.
	// mechanisms[i] is the mechanism of component i.
	HalfWidth([]calibrate.Mechanism) (overRows float64, ok bool)
	// Directions returns the directions of the vector of the first component, the last one fastest: none for one
	// number.
	Directions() []domain.Direction
	// LooksEmpty reports whether the noisy vectors could come from an input without a usable row. It may return false
	// in any case.
	LooksEmpty(noisy []mechanism.Noisy) bool
	// Bytes returns the memory of the cells of the exact answer while workers workers gather it and while its noise is
	// drawn, in bytes: a copy for each worker if rows are units, else one. If the domain has more than most cells and
	// the query can hold it sparsely, Bytes returns 0. The rows of units are not included.
	Bytes(workers int, most int64) int64
}

// Package queries turns the questions of a job into exact integer answers with a known L2 sensitivity.
//
// A [Spec] is everything public about a query. [New] checks it and returns a [Query], which states its sensitivity
// for an adjacency ([Query.Components]), gathers the exact answer from batches of rows ([Query.New]) and names the cells of
// the released vector ([Query.Finish]).
//
// # What bounds the sensitivity
//
// Each row falls in at most one cell of a public domain. What one privacy unit contributes is cut down to the
// [Bounds] of the query on the data itself; nothing is assumed of the data. What is kept of a unit over its bounds is a
// uniform sample of that unit's own rows and depends on nothing else, so exact answers are the same for every
// order of the rows, size of the batches, number of workers and split of the files.
//
// # Which rows count
//
// [domain.Filters] mark the rows of a batch that no query counts ([table.Batch], Keep). They read private columns, so the number of
// rows left is private: [Spec], Filtered.
//
// # What a column's values mean
//
// Labels and edges are source texts of the job, read according to the column's type: see [domain.Dimension]. What is added up is
// held in integers, multiples of a quantum that follows from the bounds: see [quantize.Value].
//
// # Where a kind of query is
//
// count.go has counts and histograms, sum.go, mean.go and variance.go the kinds that add values up (summing.go has what they share),
// discover.go histograms whose keys are not listed, crosstabs.go tables that share their noise, kernel.go and quantiles.go what a histogram may do besides counting. Below this package,
// queries/domain finds the cell of a row, queries/quantize its value, queries/bounding the rows of a unit that count, and
// queries/internal/accumulate adds them up.
package queries

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/tally"
)

// Component is one mechanism of a query: what calibration needs to know of it.
type Component struct {
	Name string // "" if the query has one component, which is its answer
	Sens calibrate.Sensitivity
	// Cells is the length of the component's vector.
	Cells int
	// Quantum is the power of two of which every exact answer is a multiple: 1 for counts.
	Quantum float64
	// RowBound is the largest absolute value that one row adds to a cell: 1 for counts.
	RowBound float64
	// Scale converts the component's unit to the answer's: 1/n for a mean of a public number n of terms, and else 1.
	Scale float64
	// Keys is the number of keys in which a unit counts, if cells are private keys to be selected ([mechanism.Exact.Select]); else 0.
	Keys int64
	// Weight is the component's share of the query's mu², relative to the query's other components.
	Weight float64
}

// Query is one question with its public facts.
type Query interface {
	// Name returns the query's name.
	Name() string
	// Columns returns the input columns that the query needs, each once, in order of first use.
	Columns() []string
	// Cells returns the length of the answer; 0 if its keys are discovered.
	Cells() int
	// Components states the query's mechanisms for an adjacency. Errors are of type *Error; see [Errors].
	Components(Adjacency) ([]Component, error)
	// New compiles the query against the table's schema, of which each batch will hold the columns of Columns, in
	// that order. Errors are of type *Error; see [Errors]. The spill may be nil.
	New(table.Schema, bounding.Spill) (Accumulator, error)
	// Tally compiles what counts, for the operator, the rows that the query cannot use, as New compiles the query.
	Tally(table.Schema) (*tally.Tally, error)
	// Finish makes the public answer of the components' noisy vectors, before and after denoising.
	Finish(noisy, estimate []mechanism.Noisy) (Answer, error)
	// Recover reads the components' noisy vectors back from the columns of a released answer, given the grid of each one's mechanism. It
	// is the inverse of Finish: exact, or an error.
	Recover(Columns, []float64) (Recovered, error)

	// directions is [Directions].
	directions() []domain.Direction
	// looksEmpty is [Nothing].
	looksEmpty(noisy []mechanism.Noisy) bool
	// bytes is [Bytes].
	bytes(workers int, most int64) int64
}

// New checks a spec and returns its query. Errors are of type *Error, all of them at once; see [Errors].
func New(s Spec) (Query, error) {
	p := &problem.Problems{Query: s.Name}
	checkSpec(s, p)
	var q Query
	switch {
	case s.Kind == Crosstab:
		q = newCrossing(s, p)
	case s.discovers():
		q = newDiscovering(s, p)
	default:
		q = newListed(s, p)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return q, nil
}

// newListed makes a query whose cells are known.
func newListed(s Spec, p *problem.Problems) Query {
	axes := s.axes(p)
	cells := countCells(s, axes, p)
	c := counting{spec: s, axes: axes, cells: cells, limits: s.limits(cells, p)}
	var v *quantize.Quantizer
	if s.Value != nil {
		v = newQuantizer(s, p)
	}
	c.kernel = newKernel(s, axes, p)
	c.reader = newReader(s, axes, cells, p)
	if len(p.List) == 0 && v != nil {
		return newSumming(c, v)
	}
	if s.Read.Sums && len(p.List) == 0 {
		return newOrdering(c, p)
	}
	return &c
}

// Directions returns the directions of a query's vector, its first component's, the last one fastest: none for one number, and none if there
// is no query.
func Directions(q Query) []domain.Direction {
	if q == nil {
		return nil
	}
	return q.directions()
}

// Bytes returns how much memory the cells of a query's exact answer take while some workers gather it, and while its noise is drawn: a copy
// each if rows are units, else one. A domain of more than most cells is held sparsely, if the query can, and then takes nothing here. The
// rows of units come on top.
func Bytes(q Query, workers int, most int64) int64 { return q.bytes(workers, most) }

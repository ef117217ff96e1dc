// Package queries turns the questions of a job into exact integer answers with a known L2 sensitivity.
//
// A [query.Spec] is everything public about a query. [New] checks it and returns a [query.Query], which is three
// things: what is added up of the rows of a table, as plain data ([query.Query.Aggregation]); the argument for its
// sensitivity under an adjacency ([query.Query.Components]); and the reading of totals and noise ([query.Query.Seal],
// [query.Query.Finish]). Engines execute aggregations with accumulators ([NewAccumulators]) or on their own ([Total]),
// and know no kind of query.
//
// # What bounds the sensitivity
//
// Each row falls in at most one cell of a public domain. What one privacy unit contributes is cut down to the
// [Bounds] of the query on the data itself; nothing is assumed of the data. What is kept of a unit over its bounds is a
// uniform sample of that unit's own rows and depends on nothing else. So exact answers are the same for every
// order of the rows, size of the batches, number of workers and split of the files.
//
// # Which rows count
//
// [domain.Filters] mark the rows of a batch that no query counts ([table.Batch], Keep). They read private columns, so
// the number of rows left is private: [query.Spec], Filtered.
//
// # What a column's values mean
//
// Labels and edges are source texts of the job, read according to the column's type: see [domain.Dimension]. What is
// added up is held in integers, multiples of a quantum that follows from the bounds: see [quantize.Value].
//
// # Where a kind of query is
//
// Each kind has a file in queries/kinds, whose documentation lists them. They use the words of package query. Below the
// kinds, queries/domain finds the cell of a row, queries/quantize its value, queries/bounding the rows of a unit that
// count, queries/internal/accumulate adds them up, and queries/internal/gather does so by privacy unit.
package queries

import (
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
)

// New checks a spec and returns its query. Errors are of type *problem.Error, all of them at once.
func New(s query.Spec) (query.Query, error) { return kinds.New(s) }

// Directions returns the directions of a query's vector, its first component's, the last one fastest: none for one
// number, and none if there is no query.
func Directions(q query.Query) []domain.Direction {
	if q == nil {
		return nil
	}
	return q.Directions()
}

// Bytes returns how much memory the cells of a query's exact answer take while some workers gather it, and while its
// noise is drawn: a copy each if rows are units, else one. A domain of more than most cells is held sparsely, if the
// query can, and then takes nothing here. The rows of units come on top.
func Bytes(q query.Query, workers int, most int64) int64 { return q.Bytes(workers, most) }

// Nothing reports whether a query's noisy vectors look like those of an input without a usable row: neither the sum of
// the counts, or of the values, nor any single cell is larger than noise makes it. It is made from noisy values alone,
// so its answer is as public as they are. Null cells and other cells do not count. Of very many cells, and of means of
// a public number of terms, it says false.
func Nothing(q query.Query, noisy []mechanism.Noisy) bool { return q.LooksEmpty(noisy) }

// LossSums is the loss of a histogram for its sums: the mean square error of the numbers of rows below each edge but
// the first.
const LossSums = kinds.LossSums

// GainOfSharing is the standard deviation that the cells of a query would have if they shared noise, and that of the
// sum of all cells, both as multiples of what they have; 1 if nothing is gained, or if the query is no histogram of
// independent noise.
func GainOfSharing(q query.Query, adj query.Adjacency) (cell, total float64) {
	if h, ok := q.(*kinds.Histogram); ok {
		return kinds.GainOfSharing(h, adj)
	}
	return 1, 1
}

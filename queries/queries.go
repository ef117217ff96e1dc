// Package queries turns the queries of a job into exact integer answers with a known L2 sensitivity.
//
// A [query.Spec] holds all public facts about a query. [New] checks it and returns a [query.Query], which has three
// parts: the totals to compute from a table's rows, as plain data ([query.Query.Aggregation]); the sensitivity of each
// total and its reason ([query.Query.Components]); and the functions that make answers of totals and noise
// ([query.Query.Hide], [query.Query.Finish]). Engines execute aggregations with accumulators ([NewAccumulators]) or on
// their own ([aggregation.Total]), and know no kind of query.
//
// # What bounds the sensitivity
//
// Each row falls in at most one cell of a public domain. The program drops rows of a privacy unit beyond the query's
// bounds; it assumes nothing about the data. The rows that it keeps are a uniform sample of that unit's own rows and
// depend on nothing else. So exact answers are the same for every order of the rows, size of the batches, number of
// workers and split of the files.
//
// # Which rows count
//
// [domain.Filters] mark the rows of a batch that count ([table.Batch], Keep). They read private columns, so the number
// of remaining rows is private, which [query.Spec] states (Filtered).
//
// # What a column's values mean
//
// Labels and edges are texts of the job, read according to the column's type ([domain.Dimension]). Values that are
// added up become integers: multiples of a power of two that follows from the clamp ([quantize.Value]).
//
// # Shards
//
// Several processes can each aggregate a part of the rows. [Save] writes the state of a process's accumulators, and
// [Load] adds it to the accumulators of another process, which bounds the rows of units and answers (pipeline/partial).
//
// # Where a kind of query is
//
// Each kind has a file in queries/kinds, whose documentation lists them. They use the types of package query. Below the
// kinds, queries/domain finds the cell of a row, queries/quantize its value, queries/bounding the rows of a unit that
// count, and queries/internal/accumulate adds them up.
package queries

import (
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
)

// New checks a spec and returns its query. The error wraps one *[problem.Error] for each problem ([problem.Errors]).
func New(s query.Spec) (query.Query, error) { return kinds.New(s) }

// Directions returns the dimensions of the vector of the query's first component, for example hour and city. The last
// one changes fastest. The result is nil for a single number, or if q is nil.
func Directions(q query.Query) []domain.Direction {
	if q == nil {
		return nil
	}
	return q.Directions()
}

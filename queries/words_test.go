package queries

import "github.com/dprelease/dprelease/queries/query"

// The types of package query without its name: tests of this package use them on every line.
type (
	// Query is one question with its public facts.
	Query = query.Query
	// Component is one mechanism of a query, as calibration needs it.
	Component = query.Component

	// Spec is everything public about a query.
	Spec = query.Spec
	// Kind is a kind of query.
	Kind = query.Kind
	// Read describes what else is read off the noisy counts of a histogram with edges.
	Read = query.Read
	// Crosstabs describes which tables are made of a query's dimensions.
	Crosstabs = query.Crosstabs
	// CrosstabTable is a table by some dimensions.
	CrosstabTable = query.CrosstabTable
	// Adjacency describes which tables are neighbours.
	Adjacency = query.Adjacency
	// Bounds limit what one privacy unit contributes to a query.
	Bounds = query.Bounds

	// Answer is a query's public result, cell by cell.
	Answer = query.Answer
	// Series yields the values of the cells from start on into dst.
	Series = query.Series
	// Extra is a further column of an answer.
	Extra = query.Extra
	// Columns are the columns of a released table from which its noisy vectors are read back.
	Columns = query.Columns

	// Finder is a query whose clamp or bound on rows is chosen from a noisy histogram.
	Finder = query.Finder
	// Found is the result of a search.
	Found = query.SearchResult
	// KeyFollower is a query that adds values up by keys which another query selects.
	KeyFollower = query.KeyFollower
	// Leader is a histogram that selects keys for other queries.
	Leader = query.Leader
	// ClampSearch is a chosen clamp with the noisy values of its choice.
	ClampSearch = query.ClampSearch
	// RowsSearch is a chosen bound on the rows of a unit with the noisy values of its choice.
	RowsSearch = query.RowsSearch

	// Strategic is a query whose tables are computed from components that are not their cells.
	Strategic = query.Strategic
	// Strategy describes where the noise of a query goes, and the errors of other strategies.
	Strategy = query.Strategy
)

// The kinds of this version.
const (
	Count     = query.Count
	Histogram = query.Histogram
	Sum       = query.Sum
	Mean      = query.Mean
	Variance  = query.Variance
	Crosstab  = query.Crosstab
)

// The adjacencies.
const (
	AddRemove  = query.AddRemove
	ReplaceOne = query.ReplaceOne
)

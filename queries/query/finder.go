package query

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
)

// Finder is a query that chooses its clamp, or its bound on the rows of a unit, within a public range. The choice is
// made from a noisy histogram, which gets its noise before the other answers. Hide returns the histogram after the
// exact answers of the components. The answers that depend on the choice get their noise after it
// ([mechanism.Exact.Choose]). The components state the largest sensitivities that can be chosen.
type Finder interface {
	Query
	// Histogram returns the component of the histogram. Its Weight is its fraction of the query's mu².
	Histogram(Adjacency) (Component, error)
	// Follows reports for each component whether it depends on the choice.
	Follows() []bool
	// RuleVersion is the version of the rule by which Find chooses.
	RuleVersion() int
	// Widest is the whole public range: of clamps, in quanta, or of bounds, from 1 to the largest.
	Widest() mechanism.Range
	// Find chooses the clamp or bound from the noisy histogram. charged[i] is the charged mechanism of component i.
	Find(histogram mechanism.Noisy, charged []calibrate.Mechanism, adj Adjacency) (SearchResult, error)
	// Chosen returns the query with the chosen clamp or bound.
	Chosen(mechanism.Range) (Query, error)
}

// ClampSearch is a chosen clamp and the noisy values from which it was chosen. All of it is public, so that anybody can
// repeat the choice. Its fields are the members of discovered_clamp in release.json: RuleVersion; Exponent, Least, Most
// and Centred (the public range, in multiples of 2^Exponent); Groups and Noise; Grid, Deviation and Cells (the noisy
// histogram); Low, High, Clamp and Found (the choice).
type ClampSearch = privateclamp.Search

// RowsSearch is a chosen bound on the rows of a unit and the noisy values from which it was chosen. Its fields are the
// members of discovered_max_rows in release.json: RuleVersion; Steps (the bounds among which one is chosen), Noise (the
// standard deviation of an answer's noise under each) and Groups; Grid, Deviation and Cells (the noisy histogram);
// MaxRows and Found (the choice).
type RowsSearch = privateclamp.RowsSearch

// SearchResult is the choice of a Finder. One of its two fields is not nil.
type SearchResult struct {
	Clamp *ClampSearch // a discovered clamp
	Rows  *RowsSearch  // a discovered bound on the rows of a unit
}

// Range returns the chosen clamp or bound in the form that exact answers need.
func (f SearchResult) Range() mechanism.Range {
	if f.Rows != nil {
		return mechanism.Range{Low: 1, High: f.Rows.MaxRows}
	}
	return mechanism.Range{Low: f.Clamp.Low, High: f.Clamp.High}
}

package query

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
)

// Finder is a query of which a clamp, or the bound on the rows of a unit, is chosen within a public range, from a noisy
// histogram that is drawn first. Its accumulators seal one exact answer more than the query has components, the
// histogram. Of the others those that depend on the choice are to be chosen ([mechanism.Exact.Choose]). The components
// have the largest sensitivities that may be chosen.
type Finder interface {
	Query
	// Histogram states the component of the histogram, whose weight is its share of the query's mu².
	Histogram(Adjacency) (Component, error)
	// Follows describes which components depend on the choice.
	Follows() []bool
	// Rule is the version of the rule by which Find chooses.
	Rule() int
	// Widest is the public range: of values in quanta, or from 1 to the largest bound.
	Widest() mechanism.Range
	// Find chooses. The mechanisms are those of the components, as charged.
	Find(histogram mechanism.Noisy, charged []calibrate.Mechanism, adj Adjacency) (Found, error)
	// Chosen returns the query with what was found.
	Chosen(mechanism.Range) (Query, error)
}

// ClampSearch is what a clamp was chosen from, all of it public, and the clamp: it can be chosen again.
type ClampSearch = privateclamp.Search

// LeastCutChance is the least chance that [ClampSearch.Cut] states.
const LeastCutChance = privateclamp.LeastChance

// RowsSearch is the same of a bound on the rows of a unit.
type RowsSearch = privateclamp.RowsSearch

// Found is what was found: one of the two is not nil.
type Found struct {
	Clamp *ClampSearch
	Rows  *RowsSearch
}

// Range returns the choice for the exact answers.
func (f Found) Range() mechanism.Range {
	if f.Rows != nil {
		return mechanism.Range{Low: 1, High: f.Rows.MaxRows}
	}
	return mechanism.Range{Low: f.Clamp.Low, High: f.Clamp.High}
}

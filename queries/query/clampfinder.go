package query

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
)

// ClampFinder is a query whose clamp is chosen within a public range, from a noisy histogram of its values that is drawn first. Its accumulators seal
// one exact answer more than the query has components, the histogram. Of the others those that depend on the clamp are to be chosen
// ([mechanism.Exact.Choose]). The components have the largest sensitivities that may be chosen.
type ClampFinder interface {
	Query
	// Histogram states the component of the histogram, whose weight is its share of the query's mu².
	Histogram(Adjacency) (Component, error)
	// Follows says which components depend on the clamp.
	Follows() []bool
	// Widest is the public range.
	Widest() mechanism.Range
	// Find chooses the clamp. The mechanisms are those of the components, as charged.
	Find(histogram mechanism.Noisy, charged []calibrate.Mechanism) (ClampSearch, error)
	// Clamped returns the query with a clamp that was found.
	Clamped(mechanism.Range) (Query, error)
}

// ClampSearch is what a clamp was chosen from, all of it public, and the clamp: it can be chosen again.
type ClampSearch = privateclamp.Search

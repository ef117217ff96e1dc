// Package clampsearch plans queries whose clamp, or bound on the rows of a unit, the run chooses itself: before the
// query's own noise, it draws a noisy histogram and chooses from that. The histogram costs a fraction of the query's
// mu², which is charged with the rest.
package clampsearch

import (
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// Search describes how the clamp or the row bound of a query is found.
type Search struct {
	query.Finder
	Component query.Component
	Mechanism calibrate.Mechanism
	// Result is the choice and the noisy histogram behind it; nil before the run.
	Result *query.SearchResult
	// name is the histogram's name in the ledger, if an earlier charge was adopted; otherwise ""
	name string
	// charged holds the query's mechanisms as they were charged, before the choice. most[i] is the largest value that
	// one row adds to a cell of component i.
	charged []manifest.Charged
	most    []float64
}

// New returns the search of a query; nil if the query's clamp and row bound are fixed.
func New(q query.Query, adj query.Adjacency) (*Search, error) {
	finder, ok := q.(query.Finder)
	if !ok {
		return nil, nil
	}
	c, err := finder.Histogram(adj)
	return &Search{Finder: finder, Component: c}, err
}

// Ask divides the budget requests of the query between the search and the components: the histogram gets the search's
// fraction of the query's mu², the components get the rest. A component whose sensitivity depends on the choice refers
// to the histogram's name.
func (s *Search) Ask(asks []calibrate.Ask, weight float64) []calibrate.Ask {
	c := s.Component
	name := manifest.MechanismName(s.Name(), c.Name)
	for j, follows := range s.Follows() {
		if asks[j].Weight *= 1 - c.Weight; follows {
			asks[j].ChosenBy, asks[j].RuleVersion = name, s.RuleVersion()
		}
	}
	return append(asks, calibrate.Ask{Query: name, Sens: c.Sens, Weight: weight * c.Weight, Quantum: c.Quantum,
		RowBound: c.RowBound})
}

// Charged returns the histogram's mechanism with the name that the ledger recorded.
func (s *Search) Charged() calibrate.Mechanism {
	m := s.Mechanism
	if s.name != "" {
		m.Query = s.name
	}
	return m
}

// Adopt returns the search with the histogram's mechanism as an earlier charge recorded it in the ledger, under the
// recorded name. following are the query's other recorded mechanisms: Adopt sets ChosenBy to this name in those that
// depend on the choice.
func (s *Search) Adopt(recorded calibrate.Mechanism, following []calibrate.Mechanism) *Search {
	out := *s
	out.name, out.Mechanism = recorded.Query, recorded
	out.Mechanism.Query, out.Mechanism.Sens.Why = s.Mechanism.Query, s.Mechanism.Sens.Why
	for j := range following {
		if following[j].ChosenBy != "" {
			following[j].ChosenBy = recorded.Query
		}
	}
	return &out
}

// Chosen is a query with the clamp or row bound that its search found.
type Chosen struct {
	Search     *Search
	Query      query.Query
	Components []query.Component
	Mechanisms []calibrate.Mechanism
}

// With returns the query with the found clamp or row bound. The mechanisms that depend on it get the sensitivity of the
// choice, with the mu that was charged.
func (s *Search) With(found query.SearchResult, charged []calibrate.Mechanism, adj query.Adjacency) (out Chosen,
	err error) {
	after := *s
	after.Result = &found
	out = Chosen{Search: &after, Mechanisms: slices.Clone(charged)}
	if out.Query, err = s.Chosen(found.Range()); err != nil {
		return out, err
	}
	if out.Components, err = out.Query.Components(adj); err != nil {
		return out, err
	}
	for j, follows := range s.Follows() {
		c := &out.Components[j]
		after.charged = append(after.charged, manifest.Charged{L2: charged[j].Sens.L2, Sigma: float64(charged[j].Sigma)})
		after.most = append(after.most, c.RowBound)
		if follows {
			if out.Mechanisms[j], err = charged[j].Chosen(c.Sens, c.Quantum, c.RowBound); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// Choose limits the exact answers that depend on the choice to the range r.
func (s *Search) Choose(exacts []mechanism.Exact, r mechanism.Range) (err error) {
	for j, follows := range s.Follows() {
		if follows {
			if exacts[j], err = exacts[j].Choose(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Statement returns the manifest's description of the search: for a clamp or for a row bound. Both are nil before a
// run; afterwards one of them is set.
func (s *Search) Statement() (*manifest.Search, *manifest.RowsSearch) {
	if s == nil || s.Result == nil {
		return nil, nil
	}
	m := manifest.MechanismOf(s.Component.Name, s.Mechanism)
	if rows := s.Result.Rows; rows != nil {
		return nil, &manifest.RowsSearch{Share: s.Component.Weight, Mechanism: m, Charged: s.charged, Most: s.most,
			RowsSearch: *rows}
	}
	return &manifest.Search{Share: s.Component.Weight, Mechanism: m, Charged: s.charged, ClampSearch: *s.Result.Clamp}, nil
}

// ResultOf returns the clamp or row bound that a manifest states; ok is false if the manifest states none, or if its
// noisy histogram leads to another choice.
func ResultOf(q *manifest.Query) (query.SearchResult, bool) {
	switch {
	case q.Search != nil:
		return query.SearchResult{Clamp: &q.Search.ClampSearch}, q.Search.Same()
	case q.RowsSearch != nil:
		return query.SearchResult{Rows: &q.RowsSearch.RowsSearch}, q.RowsSearch.Same()
	}
	return query.SearchResult{}, false
}

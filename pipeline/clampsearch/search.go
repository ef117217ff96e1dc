// Package clampsearch plans queries whose clamp, or bound on the rows of a unit, is found in the run: a noisy histogram
// is drawn before the query's own noise, for a fraction of the query's mu², which is charged with the rest.
package clampsearch

import (
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// Search is the search for the clamp or the bound of a query.
type Search struct {
	query.Finder
	Component query.Component
	Mechanism calibrate.Mechanism
	// Result is the choice and the noisy values behind it; nil before a run.
	Result *query.SearchResult
	// name is the mechanism's name in the ledger if the charge was adopted; otherwise ""
	name string
	// charged are the query's mechanisms as they were charged, and most is the largest value that a row adds to a cell,
	// by component.
	charged []manifest.Charged
	most    []float64
}

// New returns the search of a query; nil if its clamp and its bound on rows are fixed.
func New(q query.Query, adj query.Adjacency) (*Search, error) {
	finder, ok := q.(query.Finder)
	if !ok {
		return nil, nil
	}
	c, err := finder.Histogram(adj)
	return &Search{Finder: finder, Component: c}, err
}

// Ask splits the requests of the query's components: the search's fraction of its mu² goes to the histogram; the
// mechanisms that depend on the result follow it.
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

// Charged returns the mechanism as the ledger has it.
func (s *Search) Charged() calibrate.Mechanism {
	m := s.Mechanism
	if s.name != "" {
		m.Query = s.name
	}
	return m
}

// Adopt returns the search with its mechanism as a ledger has it. The mechanisms of the query follow it by that name.
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

// Chosen is a query with the result of its search.
type Chosen struct {
	Search     *Search
	Query      query.Query
	Components []query.Component
	Mechanisms []calibrate.Mechanism
}

// With returns the query with the found clamp or bound. The mechanisms that depend on it get its sensitivity, at the mu
// that was charged.
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

// Choose makes the choice r in the exact answers that wait for it.
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

// Statement returns the manifest's description of the search for the clamp or the bound. Both are nil before a run;
// afterwards one of them is set.
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

// ResultOf returns the clamp or bound in a manifest; ok is false if the noisy histogram gives another one.
func ResultOf(q *manifest.Query) (query.SearchResult, bool) {
	switch {
	case q.Search != nil:
		return query.SearchResult{Clamp: &q.Search.ClampSearch}, q.Search.Same()
	case q.RowsSearch != nil:
		return query.SearchResult{Rows: &q.RowsSearch.RowsSearch}, q.RowsSearch.Same()
	}
	return query.SearchResult{}, false
}

package pipeline

import (
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries"
)

// Search is how the clamp of a query is found: a noisy histogram of its values is drawn before the query's own noise.
type Search struct {
	queries.ClampFinder
	Component queries.Component
	Mechanism calibrate.Mechanism
	// Found is the clamp, with what it was chosen from; nil before a run.
	Found *queries.ClampSearch
	// charged are the query's mechanisms, for the public range.
	charged []calibrate.Mechanism
	// name is that of the mechanism in the ledger, if the charge was adopted; else it is "".
	name string
}

// Charged is the mechanism as the ledger has it.
func (s *Search) Charged() calibrate.Mechanism {
	m := s.Mechanism
	if s.name != "" {
		m.Query = s.name
	}
	return m
}

// search prepares the search of a query whose clamp is to be found.
func (b *builder) search(q *Planned, i int) {
	finder, ok := q.Query.(queries.ClampFinder)
	if !ok {
		return
	}
	c, err := finder.Histogram(queries.Adjacency(b.job.Privacy.Adjacency))
	if err != nil {
		b.diags = append(b.diags, diagnose(b.job, q.path, err)...)
		return
	}
	q.Search = &Search{ClampFinder: finder, Component: c}
	const why, hint = "the error of this query depends on the clamp that is found", "write clamp: [lo, hi], or remove "
	if q.MaxError > 0 {
		b.report(q.path+".max_error", "contradiction", why, hint+"max_error")
	}
	if b.job.Queries[i].Accuracy != nil {
		b.report(q.path+".accuracy", "contradiction", why, hint+"accuracy")
	}
}

// askSearch splits what a query with a search asks for: the share of its mu² for the histogram, which the components that depend on the clamp follow.
func (q *Planned) askSearch(asks []calibrate.Ask, weight float64) []calibrate.Ask {
	c := q.Search.Component
	name := manifest.MechanismName(q.Query.Name(), c.Name)
	for j, follows := range q.Search.Follows() {
		if asks[j].Weight *= 1 - c.Weight; follows {
			asks[j].After = name
		}
	}
	return append(asks, calibrate.Ask{Query: name, Sens: c.Sens, Weight: weight * c.Weight, Quantum: c.Quantum, RowBound: c.RowBound})
}

// FindClamp chooses the clamp of a query from its noisy histogram.
func (p *Plan) FindClamp(query int, histogram mechanism.Noisy) (queries.ClampSearch, error) {
	q := &p.queries[query]
	return q.Search.Find(histogram, q.Mechanisms)
}

// ChooseWidest gives the exact answers that wait for a clamp the public range, for comparisons of answers that are never released.
func (p *Plan) ChooseWidest(exacts [][]mechanism.Exact) error {
	for i := range p.queries {
		s := p.queries[i].Search
		if s == nil {
			continue
		}
		for j, follows := range s.Follows() {
			if follows {
				var err error
				if exacts[i][j], err = exacts[i][j].Choose(s.Widest()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// WithClamp returns the plan with the clamp of a query that was found. The mechanisms that depend on it are those for its sensitivity, at the mu that is
// charged.
func (p *Plan) WithClamp(query int, found queries.ClampSearch) (*Plan, error) {
	out := *p
	out.queries = slices.Clone(p.queries)
	q := &out.queries[query]
	s := *q.Search
	s.Found, s.charged = &found, q.Mechanisms
	q.Search, q.Mechanisms = &s, slices.Clone(q.Mechanisms)
	var err error
	if q.Query, err = s.Clamped(mechanism.Range{Low: found.Low, High: found.High}); err != nil {
		return nil, err
	}
	if q.Components, err = q.Query.Components(p.adjacency); err != nil {
		return nil, err
	}
	for j, follows := range s.Follows() {
		if c := &q.Components[j]; follows {
			if q.Mechanisms[j], err = s.charged[j].Chosen(c.Sens, c.Quantum, c.RowBound); err != nil {
				return nil, err
			}
		}
	}
	if q.radius > 0 {
		q.radius = (found.Clamp[1] - found.Clamp[0]) / 2
	}
	return &out, nil
}

package pipeline

import (
	"slices"

	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/pipeline/clampsearch"
	"github.com/dprelease/dprelease/queries"
)

// search prepares the search of a query whose clamp is to be found.
func (b *builder) search(q *Planned, i int) {
	var err error
	if q.Search, err = clampsearch.New(q.Query, queries.Adjacency(b.job.Privacy.Adjacency)); err != nil {
		b.diags = append(b.diags, diagnose(b.job, q.path, err)...)
	}
	if q.Search == nil {
		return
	}
	if d, err := b.job.Privacy.Delta.Down(); err == nil && d == 0 {
		b.report(q.path, "contradiction", "a clamp is found with Gaussian noise, which needs a delta above 0", "write clamp: [lo, hi], or a delta such as 1e-6")
	}
	for key, there := range map[string]bool{"max_error": q.MaxError > 0, "accuracy": b.job.Queries[i].Accuracy != nil} {
		if there {
			b.report(q.path+"."+key, "contradiction", "the error of this query depends on the clamp that is found", "write clamp: [lo, hi], or remove "+key)
		}
	}
}

// WithClamp returns the plan with the clamp of a query that was found.
func (p *Plan) WithClamp(query int, found queries.ClampSearch) (*Plan, error) {
	out := *p
	out.queries = slices.Clone(p.queries)
	q := &out.queries[query]
	c, err := q.Search.Clamped(found, q.Mechanisms, p.adjacency)
	if err != nil {
		return nil, err
	}
	q.Search, q.Query, q.Components, q.Mechanisms = c.Search, c.Query, c.Components, c.Mechanisms
	if q.radius > 0 {
		q.radius = (found.Clamp[1] - found.Clamp[0]) / 2
	}
	return &out, nil
}

// ChooseWidest gives the exact answers that wait for a clamp the public range, for comparisons of answers that are never released.
func (p *Plan) ChooseWidest(exacts [][]mechanism.Exact) error {
	for i := range p.queries {
		if s := p.queries[i].Search; s != nil {
			if err := s.Choose(exacts[i], s.Widest()); err != nil {
				return err
			}
		}
	}
	return nil
}

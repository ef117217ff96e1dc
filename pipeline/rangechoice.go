package pipeline

import (
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline/clampsearch"
	"github.com/dprelease/dprelease/queries/query"
)

// search prepares the private search for the query's clamp or row bound.
func (b *builder) search(q *Planned, i int) {
	var err error
	if q.Search, err = clampsearch.New(q.Query, query.Adjacency(b.job.Privacy.Adjacency)); err != nil {
		b.diags = append(b.diags, diagnose(b.job, q.path, err)...)
	}
	if q.Search == nil {
		return
	}
	what, remedy := "clamp", "clamp: [lo, hi]"
	if jq := &b.job.Queries[i]; rowsShare(b.job, jq) > 0 {
		what, remedy = "bound on rows", "max_rows: N"
	}
	if d, err := b.job.Privacy.Delta.Down(); err == nil && d == 0 {
		b.report(q.path, "contradiction", "a "+what+" is found with Gaussian noise, which needs a delta above 0",
			"write "+remedy+", or a delta such as 1e-6")
	}
	for key, there := range map[string]bool{"max_error": q.MaxError > 0, "accuracy": b.job.Queries[i].Accuracy != nil} {
		if there {
			b.report(q.path+"."+key, "contradiction", "the error of this query depends on the "+what+" that is found",
				"write "+remedy+", or remove "+key)
		}
	}
}

// ChooseWidest sets every clamp and row bound that a run would discover to its widest public value. It is for tests,
// and for comparing exact answers that are never released.
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

// WithLeastRowBound returns query i with the smallest row bound that a run may find; nil if its row bound is fixed.
func (p *Plan) WithLeastRowBound(i int) *Planned {
	s := p.queries[i].Search
	if s == nil || s.Widest().Low != 1 || rowsShare(p.job, &p.job.Queries[i]) == 0 {
		return nil
	}
	least := p.NewRun()
	if least.TakeSearchResult(i, query.SearchResult{Rows: &query.RowsSearch{MaxRows: 1}}) != nil {
		return nil
	}
	return &least.queries[i]
}

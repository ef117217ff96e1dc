package pipeline

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// A rehearsal
//
// Before a run charges anything, it makes its whole release from invented vectors of the same form as the noisy ones.
// If denoising, tables, pages or manifests fail because of the job, and not because of a row, they fail in the
// rehearsal, at no cost. It reads no data. To be fast, a rehearsal makes only the first cells of a table. It omits the
// denoising steps of longer vectors, which need all cells; their errors were reported when the plan was built.

// rehearsedCells is the largest number of cells of a table that a rehearsal makes.
const rehearsedCells = 1 << 10

// Rehearse makes a synthetic release with the same form as the plan's release.
func (p *Plan) Rehearse(ctx context.Context, program manifest.Program, workers int) (*Release, error) {
	noisy, c := make([][]mechanism.Noisy, len(p.queries)), p.NewRun()
	for _, i := range p.LeadersFirst() {
		if err := c.rehearseQuery(ctx, i, noisy, workers); err != nil {
			return nil, InsideError("rehearse", err)
		}
	}
	r, err := c.release(ctx, noisy, program, rehearsedCells, workers, Silent{})
	if err != nil {
		return nil, err
	}
	r.rehearsal = true
	return r, nil
}

// LeadersFirst returns the indices of all queries in an order in which each query comes after its leader, the query
// that selects its keys.
func (p *Plan) LeadersFirst() []int {
	var first, last []int
	for i := range p.queries {
		if _, follows := p.queries[i].Leader(); follows {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	return append(first, last...)
}

// rehearseQuery makes the synthetic vectors of query i. Before that it invents the choices that a run would make: keys,
// clamp, row bound.
func (c *RunPlan) rehearseQuery(ctx context.Context, i int, noisy [][]mechanism.Noisy, workers int) error {
	q := &c.queries[i]
	if leader, follows := q.Leader(); follows {
		if err := c.TakeKeys(i, noisy[leader][0].Keys()); err != nil {
			return err
		}
	}
	if s := q.Search; s != nil {
		histogram, err := mechanism.Synthetic(ctx, s.Mechanism, s.Component.Cells, workers)
		if err != nil {
			return err
		}
		found, err := s.Find(histogram, q.Mechanisms, c.plan.adjacency)
		if err != nil {
			return err
		}
		if err := c.TakeSearchResult(i, found); err != nil {
			return err
		}
	}
	if q.Selection != nil {
		n, err := q.rehearseKeys(ctx)
		noisy[i] = []mechanism.Noisy{n}
		return err
	}
	components, err := q.Query.Components(c.plan.adjacency)
	if err != nil {
		return err
	}
	for j, m := range q.Mechanisms {
		n, err := mechanism.Synthetic(ctx, m, components[j].Cells, workers)
		if err != nil {
			return err
		}
		noisy[i] = append(noisy[i], n)
	}
	return nil
}

// rehearseKeys invents two selected keys: from the first cells of listed dimensions, and from made-up strings for
// discovered ones.
func (q *Planned) rehearseKeys(ctx context.Context) (n mechanism.Noisy, err error) {
	if n, err = mechanism.SyntheticKeys(*q.Selection, nil); err != nil {
		return n, err
	}
	none, err := q.Query.Finish(ctx, []mechanism.Noisy{n}, []mechanism.Noisy{n})
	if err != nil {
		return n, err
	}
	columns := query.Columns{Noisy: make([]float64, 2)}
	for _, k := range none.Keys {
		texts := []string{k.Text(0), k.Text(0)}
		if slices.Equal(k.Labels.Strings, []string{""}) { // the label stands for a public file without rows
			texts = []string{"key 1", "key 2"}
		}
		columns.Keys = append(columns.Keys, texts)
	}
	found, err := q.Query.Recover(columns, []float64{q.Selection.Mechanism.Grid})
	if err != nil {
		return n, err
	}
	return mechanism.SyntheticKeys(*q.Selection, found.Keys)
}

// beginning returns an answer that has only the first maxCells cells.
func beginning(a query.Answer, maxCells int) query.Answer {
	a.Cells = min(a.Cells, maxCells)
	a.Readings = slices.Clone(a.Readings)
	for i := range a.Readings {
		a.Readings[i].Answer = beginning(a.Readings[i].Answer, maxCells)
	}
	return a
}

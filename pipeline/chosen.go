package pipeline

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/query"
)

// RunPlan holds the queries of a plan with the choices of one run: the keys that it selected, and the clamps and bounds
// on rows that it found. A run chooses from noisy values while it draws its noise. The plan itself never changes.
type RunPlan struct {
	plan    *Plan
	queries []Planned
}

// NewRun starts a run: it returns a copy of the plan's queries in which the run's choices are recorded.
func (p *Plan) NewRun() *RunPlan { return &RunPlan{p, slices.Clone(p.queries)} }

// Queries returns the queries in the job's order.
func (c *RunPlan) Queries() []Planned { return c.queries }

// TakeKeys gives a query the keys that its leader selected.
func (c *RunPlan) TakeKeys(i int, keys []string) (err error) {
	q := &c.queries[i]
	follower, ok := q.Query.(query.KeyFollower)
	if !ok {
		return fmt.Errorf("query %s takes no keys from another query: it lists or selects its own", q.Query.Name())
	}
	q.Query, err = follower.WithKeys(keys)
	return err
}

// TakeSearchResult sets the clamp or bound on rows that was found for a query.
func (c *RunPlan) TakeSearchResult(i int, found query.SearchResult) error {
	q := &c.queries[i]
	with, err := q.Search.With(found, q.Mechanisms, c.plan.adjacency)
	if err != nil {
		return err
	}
	q.Search, q.Query, q.Components, q.Mechanisms = with.Search, with.Query, with.Components, with.Mechanisms
	return nil
}

// mechanismsOf returns the mechanisms of some queries, in order.
func mechanismsOf(planned []Planned) (ms []calibrate.Mechanism) {
	for i := range planned {
		ms = append(ms, planned[i].All()...)
	}
	return ms
}

package queries

import (
	"fmt"
	"sort"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// declared checks a declared sensitivity, if there is one, against the implied one: a larger one is used as asked, a smaller
// one is an error that says which bound would bring the implied one down to it.
func (q *counting) declared(adj Adjacency, implied calibrate.Sensitivity) (calibrate.Sensitivity, error) {
	d := q.spec.Declared
	if d == 0 {
		return implied, nil
	}
	if d >= implied.L2 {
		why := fmt.Sprintf("declared: %s; implied: %s", domain.Shortest(d), implied.Why)
		return calibrate.Sensitivity{L2: d, Why: why}, nil
	}
	p := &problem.Problems{Query: q.spec.Name}
	p.Add(problem.FieldSensitivity, problem.CodeLowSensitivity,
		fmt.Sprintf("the declared sensitivity %s is below what the bounds imply, %s: %s", domain.Shortest(d), domain.Shortest(implied.L2), implied.Why),
		q.remedy(adj))
	return calibrate.Sensitivity{}, p.Err()
}

// remedy names the bounds each of which alone would make the declared sensitivity true.
func (q *counting) remedy(adj Adjacency) string {
	var ways []string
	if !q.spec.perRow() {
		ways = q.tighter(adj)
	}
	if len(ways) == 0 {
		return "no bound implies so little: leave the declaration out"
	}
	return "set " + problem.FieldBounds + ": " + strings.Join(ways, ", or ") + "; or leave the declaration out"
}

func (q *counting) tighter(adj Adjacency) []string {
	var ways []string
	for _, try := range []struct {
		name string
		from int64
		with func(*Bounds, int64)
	}{
		{"max_rows_per_group", q.limits.PerGroup, func(b *Bounds, x int64) { b.MaxRowsPerGroup = x }},
		{"max_groups", q.limits.Groups, func(b *Bounds, x int64) { b.MaxGroups = x }},
		{"max_rows", q.limits.Rows, func(b *Bounds, x int64) { b.MaxRows = x }},
	} {
		if try.name == "max_groups" && q.cells == 1 {
			continue
		}
		if x := q.most(adj, try.from, try.with); x > 0 {
			ways = append(ways, fmt.Sprintf("{%s: %d}", try.name, x))
		}
	}
	return ways
}

// most returns the largest value below from that, set by with, implies at most the declared sensitivity, or 0 if there is none.
func (q *counting) most(adj Adjacency, from int64, with func(*Bounds, int64)) int64 {
	fits := func(x int64) bool {
		b := q.spec.Bounds
		with(&b, x)
		l, missing := b.resolve(q.cells)
		return missing == "" && q.norm(l, adj) <= q.spec.Declared
	}
	const steps = 1 << 31 // of interest: sort.Search takes an int
	n := int(min(from-1, steps))
	return int64(sort.Search(n, func(i int) bool { return !fits(int64(i) + 1) }))
}

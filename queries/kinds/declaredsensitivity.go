package kinds

import (
	"fmt"
	"sort"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
)

// normOf is a function that returns the L2 sensitivity of a query under given limits on a unit's rows.
type normOf func(bounding.Limits, query.Adjacency) float64

// declared returns the sensitivity to use. implied is the sensitivity that the bounds imply. If the job declares a
// larger sensitivity, the larger one is used. A smaller one is an error, which names the bound to lower.
func (q *Base) declared(adj query.Adjacency, implied calibrate.Sensitivity, norm normOf) (calibrate.Sensitivity,
	error) {
	d := q.Spec.Declared
	if d == 0 {
		return implied, nil
	}
	if d >= implied.L2 {
		why := fmt.Sprintf("declared: %s; implied: %s", spelling.Exact(d), implied.Why)
		return calibrate.Sensitivity{L2: d, Why: why}, nil
	}
	return calibrate.Sensitivity{}, problem.One(q.Spec.Name, problem.FieldSensitivity, problem.CodeLowSensitivity,
		fmt.Sprintf("the declared sensitivity %s is below what the bounds imply, %s: %s", spelling.Exact(d),
			spelling.Exact(implied.L2), implied.Why),
		q.remedy(adj, norm))
}

// remedy names the bounds, in words: lowering any one of them would imply the declared sensitivity.
func (q *Base) remedy(adj query.Adjacency, norm normOf) string {
	var ways []string
	if q.Spec.BoundsUnits() {
		ways = q.tighter(adj, norm)
	}
	if len(ways) == 0 {
		return "no bound implies so little: leave the declaration out"
	}
	return "set " + problem.FieldBounds + ": " + strings.Join(ways, ", or ") + "; or leave the declaration out"
}

// tighter returns each bound that alone could be lowered so far, with the largest value that suffices, such as
// {max_rows: 3}.
func (q *Base) tighter(adj query.Adjacency, norm normOf) []string {
	var ways []string
	for _, try := range []struct {
		name string
		from int64
		with func(*query.Bounds, int64)
	}{
		{"max_rows_per_group", q.Limits.RowsPerCell, func(b *query.Bounds, x int64) { b.MaxRowsPerGroup = x }},
		{"max_groups", q.Limits.Cells, func(b *query.Bounds, x int64) { b.MaxGroups = x }},
		{"max_rows", q.Limits.Rows, func(b *query.Bounds, x int64) { b.MaxRows = x }},
	} {
		if try.name == "max_groups" && q.Size == 1 {
			continue
		}
		if x := largestBound(q.Spec, q.Size, try.from, try.with, func(l bounding.Limits) float64 {
			return norm(l,
				adj)
		}); x > 0 {
			ways = append(ways, fmt.Sprintf("{%s: %d}", try.name, x))
		}
	}
	return ways
}

// largestBound returns the largest value of a bound, below from, that implies at most the declared sensitivity, or 0 if
// there is none. with sets the bound in a spec.
func largestBound(s query.Spec, cells int, from int64, with func(*query.Bounds, int64),
	norm func(bounding.Limits) float64) int64 {
	fits := func(x int64) bool {
		b := s.Bounds
		with(&b, x)
		l, missing := b.Resolve(cells)
		return missing == "" && norm(l) <= s.Declared
	}
	const steps = 1 << 31 // sort.Search takes an int
	n := int(min(from-1, steps))
	return int64(sort.Search(n, func(i int) bool { return !fits(int64(i) + 1) }))
}

package configs

import (
	"reflect"
	"slices"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// margins checks that the cells of this query add up to the cells of each named query.
func (c *checker) margins(at *yamltree.Path, q *Query) {
	c.unique(at, q.Margins, "query")
	if len(q.Margins) > 0 && q.Histogram == nil {
		c.bad(at, CodeContradiction, "margins go with a histogram", "remove margins")
		return
	}
	if len(q.Margins) > 0 && q.rounds() {
		c.bad(at, CodeContradiction, "estimates that are made to agree are not integers", "remove round from denoise, or "+
			"remove margins; crosstabs with integers: true make tables that agree and are integers")
	}
	for i, name := range q.Margins {
		if name == "" || q.Histogram == nil {
			continue
		}
		p := at.Item(i)
		k := slices.IndexFunc(c.job.Queries, func(other Query) bool { return other.Name == name })
		if k < 0 {
			c.bad(p, CodeBadValue, "there is no query "+c.Show(p, name), wording.DidYouMean(name, c.queryNames(q.Name)))
			continue
		}
		c.margin(p, q, &c.job.Queries[k])
	}
}

func (c *checker) queryNames(except string) []string {
	var names []string
	for i := range c.job.Queries {
		if n := c.job.Queries[i].Name; n != "" && n != except {
			names = append(names, n)
		}
	}
	return names
}

func (c *checker) margin(at *yamltree.Path, q, m *Query) {
	const hint = "a margin is a count, or a histogram whose dimensions are some of this one's, written alike and in the " +
		"same order, with the same where"
	switch _, ok := q.MarginAxes(m); {
	case m.rounds():
		c.bad(at, CodeContradiction, "estimates that are made to agree are not integers", "remove round from the denoise "+
			"of "+c.Show(at, m.Name)+", or remove margins")
	case m == q:
		c.bad(at, CodeContradiction, "a query is not a margin of itself", "name another")
	case len(m.Margins) > 0:
		c.bad(at, CodeContradiction, "the query "+c.Show(at, m.Name)+" has margins itself",
			"list all margins at the largest table")
	case !ok:
		c.bad(at, CodeContradiction, "the query "+c.Show(at, m.Name)+" is not a sum of this one's cells", hint)
	case !reflect.DeepEqual(c.job.Bounds(q), c.job.Bounds(m)):
		c.bad(at, CodeContradiction, "the query "+c.Show(at, m.Name)+" has other bounds for a unit, so that it counts "+
			"other rows", "give both the same per_unit")
	case c.job.Bounds(q).MaxRows.Discovers():
		c.bad(at, CodeContradiction, "each query finds its own max_rows, so that the query "+c.Show(at,
			m.Name)+" may count other rows", "write max_rows: N for both, or remove margins")
	case slices.ContainsFunc(c.job.Queries, func(other Query) bool {
		return other.Name != q.Name &&
			slices.Contains(other.Margins, m.Name)
	}):
		c.bad(at, CodeContradiction, "the query "+c.Show(at, m.Name)+" is a margin of two tables", "leave it to one of them")
	}
}

// SameRows reports whether two queries of a table have the same conditions, written in the same way, so that they keep
// the same rows.
func SameRows(a, b *Query) bool {
	return len(a.Where) == 0 && len(b.Where) == 0 || reflect.DeepEqual(a.Where, b.Where)
}

// rounds reports whether a step rounds the estimates to integers.
func (q *Query) rounds() bool {
	return slices.ContainsFunc(q.Denoise, func(d Denoise) bool { return d.Method == "round" })
}

// dependent reports whether the noise of different cells may be statistically dependent.
func (h *Histogram) dependent() bool { return h.Optimize == "cdf" || h.Noise == "auto" }

// MarginAxes returns the dimensions of the histogram q that m keeps, in ascending order. ok is false if m is not a
// margin of q.
func (q *Query) MarginAxes(m *Query) (axes []int, ok bool) {
	if w, _ := m.RowWeight(); q.Histogram == nil || m.Count == nil && m.Histogram == nil || m.CountsUnits() || w != nil ||
		!SameRows(q, m) {
		return nil, false
	}
	if q.Histogram.dependent() || m.Histogram != nil && m.Histogram.dependent() {
		return nil, false
	}
	if m.Count != nil {
		return nil, true
	}
	next := 0
	for i := range m.Histogram.By {
		for next < len(q.Histogram.By) && !reflect.DeepEqual(q.Histogram.By[next], m.Histogram.By[i]) {
			next++
		}
		if next == len(q.Histogram.By) {
			return nil, false
		}
		axes = append(axes, next)
		next++
	}
	return axes, len(axes) < len(q.Histogram.By)
}

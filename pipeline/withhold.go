package pipeline

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/queries/query"
)

// This file withholds cells of a released answer by a publish rule. It looks only at noisy values, so it is
// post-processing and costs nothing.

// withheldColumn is the name of the extra column that flags withheld cells: 1 if the cell is left empty, else 0.
const withheldColumn = "withheld"

// noisyCount is the name of the column with noisy counts, in answers such as means that are made of several noisy
// vectors.
const noisyCount = "noisy_count"

// publishRule decides which cells are published: those whose noisy count is at least MinCount, and whose 95 % interval
// has a half-width of at most MaxRelative times the noisy value. A limit of 0 is no limit.
type publishRule struct{ MinCount, MaxRelative float64 }

// Problem explains why a rule cannot be applied to a query of a job with these denoising steps; "" if it can. hint
// suggests a remedy.
func (r publishRule) Problem(q *configs.Query, job *configs.Job, steps []*denoise.Step) (message, hint string) {
	const exempt = "; or exempt the query with publish: {}"
	switch {
	case r == publishRule{}:
		return "", ""
	case q.Histogram != nil && q.Histogram.Optimize == "keys":
		return "keys that are selected by weights have no counts", "leave the rule out" + exempt
	case q.Histogram != nil && (q.Histogram.CDF != nil && *q.Histogram.CDF || len(q.Histogram.Quantiles) > 0 ||
		q.Histogram.Optimize != ""):
		return "quantiles, shares and sums are read off all cells, also those that would be left out",
			"ask for them in a query of their own, at a part of the budget" + exempt
	case q.Sum != nil && r.MinCount > 0:
		return "a sum releases no noisy count", "ask for a mean, which has the noisy sum and the noisy count beside it, or " +
			"leave min_count out" + exempt
	case slices.ContainsFunc(agreeingQueries(q, job), func(other *configs.Query) bool {
		return !sameRule(job.PublishRule(q), job.PublishRule(other))
	}):
		return "margins make cells agree with their totals, and a cell that one query leaves out could be computed from " +
			"the cells of another one with another rule", "write the same rule for the table and all of its margins"
	case slices.ContainsFunc(steps, func(s *denoise.Step) bool { return s != nil && !s.CellByCell() }):
		return "a denoising step computes estimates from all cells, also those that would be left out, which could be " +
			"computed from them", "keep steps that treat each cell for itself, such as nonnegative" + exempt
	case q.Sparse:
		return "sparse leaves cells out as well, and which ones would not be told apart", "remove sparse" + exempt
	}
	return "", ""
}

// countDeviations is the noisy count, in standard deviations of its noise, from which on the mean of a group is worth
// publishing. At the usual split of mu² between sums and counts, the half-width of such a mean, in the middle of its
// range, is at most 1.96·√2/2/6 = 23 % of the length of the range.
const countDeviations = 6

// ProposedMinCount returns a min_count for query i, if it averages groups and has no publish rule: the means of groups
// with a smaller noisy count are mostly noise. The result has two significant digits, rounded up. It is 0 for other
// kinds of queries, if the job states a rule, and if a rule cannot be applied to the query.
func (p *Plan) ProposedMinCount(i int) int {
	q, jq := &p.queries[i], &p.job.Queries[i]
	if !q.Kind.IsQuotient() || q.Query.Cells() < 2 && !q.Selected() ||
		p.job.PublishRule(jq) != nil {
		return 0
	}
	at := slices.IndexFunc(q.Components, func(c query.Component) bool { return c.Name == "count" })
	if at < 0 {
		return 0
	}
	least := math.Ceil(countDeviations * q.Mechanisms[at].Deviation())
	if digit := math.Pow10(int(math.Log10(max(least, 1))) - 1); digit > 1 {
		least = math.Ceil(least/digit) * digit
	}
	if message, _ := (publishRule{MinCount: least}).Problem(jq, p.job, q.Steps); message != "" {
		return 0
	}
	return int(least)
}

// agreeingQueries returns the queries whose estimates are made to agree with this one's: its margins, or the table
// whose margin it is and that table's other margins.
func agreeingQueries(q *configs.Query, job *configs.Job) (out []*configs.Query) {
	table := slices.IndexFunc(job.Queries, func(t configs.Query) bool {
		return len(t.Margins) > 0 && (t.Name == q.Name || slices.Contains(t.Margins, q.Name))
	})
	if table < 0 {
		return nil
	}
	for i := range job.Queries {
		if i == table || slices.Contains(job.Queries[table].Margins, job.Queries[i].Name) {
			out = append(out, &job.Queries[i])
		}
	}
	return out
}

// sameRule reports whether two publish rules of a job have the same text. No rule is nil, or a rule without limits.
func sameRule(a, b *configs.Publish) bool {
	none := &configs.Publish{}
	return *cmp.Or(a, none) == *cmp.Or(b, none)
}

// withhold empties the cells that the queries' publish rules leave out. If tables agree with each other, so that cells
// left out could be computed from others, it empties further cells (complement.go).
func (c *RunPlan) withhold(ctx context.Context, results []Result) {
	for i := range c.queries {
		q, a := &c.queries[i], &results[i].Answer
		if q.rule == (publishRule{}) || q.isMargin {
			continue
		}
		if agreeing, ok := q.Query.(query.Agreeing); ok {
			q.rule.withholdReadings(ctx, agreeing.Lattice(), &results[i])
			continue
		}
		if len(q.margins) > 0 {
			c.withholdMargins(ctx, i, results)
			continue
		}
		hidden := q.rule.hidden(*a)
		*a, results[i].Withheld = emptied(*a, hidden), hidden.count()
	}
}

// withholdReadings empties cells of the result's readings, which agree with each other. The answer itself, from which
// the readings were computed, is left out completely.
func (r publishRule) withholdReadings(ctx context.Context, lattice query.Lattice, result *Result) {
	c := complement{lattice: lattice}
	result.Answer.Readings = slices.Clone(result.Answer.Readings)
	readings := result.Answer.Readings
	for k := range readings {
		c.tables = append(c.tables, agreeingTable{readings[k].Answer, r.hidden(readings[k].Answer)})
	}
	for _, levels := range lattice.Public {
		c.addPublic(levels)
	}
	c.withhold(ctx)
	for k := range readings {
		readings[k].Answer = emptied(readings[k].Answer, c.tables[k].hidden)
		result.Withheld += c.tables[k].hidden.count()
		result.Complementary += c.added[k]
	}
	all := newCellSet(result.Answer.Cells)
	for i := range result.Answer.Cells {
		all.add(i)
	}
	result.Answer = emptied(result.Answer, all)
}

// withholdMargins empties cells of query i and of its margins.
func (c *RunPlan) withholdMargins(ctx context.Context, i int, results []Result) {
	shape := c.queries[i].dimensionSizes()
	var co complement
	all := make([]int, len(shape))
	for d, n := range shape {
		co.lattice.First = append(co.lattice.First, [][]int32{{0, int32(n)}})
		all[d] = 1
	}
	at := []int{i}
	co.lattice.Tables = append(co.lattice.Tables, all)
	for _, m := range c.queries[i].margins {
		levels := make([]int, len(shape))
		for _, d := range m.axes {
			levels[d] = 1
		}
		at, co.lattice.Tables = append(at, m.query), append(co.lattice.Tables, levels)
	}
	for _, k := range at {
		co.tables = append(co.tables, agreeingTable{results[k].Answer, c.queries[k].rule.hidden(results[k].Answer)})
	}
	co.withhold(ctx)
	for t, k := range at {
		results[k].Answer = emptied(results[k].Answer, co.tables[t].hidden)
		results[k].Withheld, results[k].Complementary = co.tables[t].hidden.count(), co.added[t]
	}
}

// emptied returns an answer with empty cells in place of the hidden ones, and a column that marks them.
func emptied(a query.Answer, hidden cellSet) query.Answer {
	out := a
	out.Noisy, out.Estimate, out.Low, out.High = hidden.empty(a.Noisy), hidden.empty(a.Estimate), hidden.empty(a.Low),
		hidden.empty(a.High)
	out.Extra = nil
	for _, e := range a.Extra {
		out.Extra = append(out.Extra, query.Extra{Name: e.Name, Values: hidden.empty(e.Values)})
	}
	if len(a.Extra) > 0 { // with further columns, Sigma may depend on the noisy numbers in them
		out.Sigma = hidden.empty(a.Sigma)
	}
	out.Extra = append(out.Extra, query.Extra{Name: withheldColumn, Values: hidden.marks})
	return out
}

// cellSet is a set of cells, as a bitmap.
type cellSet []uint64

func newCellSet(cells int) cellSet { return make(cellSet, (cells+63)/64) }

func (c cellSet) add(i int) { c[i/64] |= 1 << (i % 64) }

func (c cellSet) count() (n int) {
	for _, word := range c {
		n += bits.OnesCount64(word)
	}
	return n
}

func (c cellSet) has(i int) bool { return c[i/64]>>(i%64)&1 == 1 }

// empty returns the series s with NaN in the cells of the set.
func (c cellSet) empty(s query.Series) query.Series {
	return func(start int, dst []float64) {
		s(start, dst)
		for i := range dst {
			if c.has(start + i) {
				dst[i] = math.NaN()
			}
		}
	}
}

// marks writes 1 for the cells of the set, and 0 for all others. It is a query.Series.
func (c cellSet) marks(start int, dst []float64) {
	for i := range dst {
		dst[i] = 0
		if c.has(start + i) {
			dst[i] = 1
		}
	}
}

// hidden returns the cells that the rule leaves out. A cell without a noisy value is left out, and a cell without noise
// is not: it is public.
func (r publishRule) hidden(a query.Answer) cellSet {
	const block = 1 << 14
	counts := a.Noisy
	if i := slices.IndexFunc(a.Extra, func(e query.Extra) bool { return e.Name == noisyCount }); i >= 0 {
		counts = a.Extra[i].Values
	}
	hidden := newCellSet(a.Cells)
	var noisy, low, high, rows, sigma [block]float64
	for start := 0; start < a.Cells; start += block {
		n := min(block, a.Cells-start)
		a.Noisy(start, noisy[:n])
		a.Low(start, low[:n])
		a.High(start, high[:n])
		a.Sigma(start, sigma[:n])
		counts(start, rows[:n])
		for i := range n {
			enough := r.MinCount == 0 || rows[i] >= r.MinCount
			near := r.MaxRelative == 0 || (high[i]-low[i])/2 <= r.MaxRelative*math.Abs(noisy[i])
			if (!enough || !near) && sigma[i] != 0 || math.IsNaN(noisy[i]) {
				hidden.add(start + i)
			}
		}
	}
	return hidden
}

package pipeline

import (
	"math"
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
	case q.Crosstabs != nil:
		return "the tables are computed from residuals that are published as well, and from which cells that are left out " +
			"could be computed", "ask for histograms" + exempt
	case q.Histogram != nil && q.Histogram.Optimize == "keys":
		return "keys that are selected by weights have no counts", "leave the rule out" + exempt
	case q.Histogram != nil && (q.Histogram.CDF != nil && *q.Histogram.CDF || len(q.Histogram.Quantiles) > 0 ||
		q.Histogram.Optimize != ""):
		return "quantiles, shares and sums are read off all cells, also those that would be left out",
			"ask for them in a query of their own, at a part of the budget" + exempt
	case q.Sum != nil && r.MinCount > 0:
		return "a sum releases no noisy count", "ask for a mean, which has the noisy sum and the noisy count beside it, or " +
			"leave min_count out" + exempt
	case isAdjusted(q, job):
		return "margins make cells agree with their totals, from which cells that are left out could be computed",
			"remove margins" + exempt
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
	if q.Kind != query.Mean && q.Kind != query.Variance || q.Query.Cells() < 2 && !q.Selected() ||
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

// isAdjusted reports whether the query's estimates are made to agree with other tables: the query has margins, or is a
// margin of another query.
func isAdjusted(q *configs.Query, job *configs.Job) bool {
	return len(q.Margins) > 0 || slices.ContainsFunc(job.Queries,
		func(other configs.Query) bool { return slices.Contains(other.Margins, q.Name) })
}

// Apply returns the answer with empty cells in place of those that the rule withholds, and the number of these.
func (r publishRule) Apply(a query.Answer) (out query.Answer, withheld int) {
	if r == (publishRule{}) {
		return a, 0
	}
	hidden, withheld := r.hidden(a)
	out = a
	out.Noisy, out.Estimate, out.Low, out.High = hidden.empty(a.Noisy), hidden.empty(a.Estimate), hidden.empty(a.Low),
		hidden.empty(a.High)
	out.Extra = nil
	for _, e := range a.Extra {
		out.Extra = append(out.Extra, query.Extra{Name: e.Name, Values: hidden.empty(e.Values)})
	}
	if len(a.Extra) > 0 { // only the deviation of a quotient tells how accurate it is
		out.Sigma = hidden.empty(a.Sigma)
	}
	out.Extra = append(out.Extra, query.Extra{Name: withheldColumn, Values: hidden.marks})
	return out, withheld
}

// cellSet is a set of cells, as a bitmap.
type cellSet []uint64

func (c cellSet) has(i int) bool { return c[i/64]>>(i%64)&1 == 1 }

// empty returns s with NaN in the cells of the set.
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

// marks is a series: 1 in the cells of the set, and 0 in all others.
func (c cellSet) marks(start int, dst []float64) {
	for i := range dst {
		dst[i] = 0
		if c.has(start + i) {
			dst[i] = 1
		}
	}
}

// hidden returns the cells that the rule withholds, and their number. A cell without a noisy value is withheld.
func (r publishRule) hidden(a query.Answer) (hidden cellSet, count int) {
	const block = 1 << 14
	counts := a.Noisy
	if i := slices.IndexFunc(a.Extra, func(e query.Extra) bool { return e.Name == noisyCount }); i >= 0 {
		counts = a.Extra[i].Values
	}
	hidden = make(cellSet, (a.Cells+63)/64)
	noisy, low, high, rows := make([]float64, block), make([]float64, block), make([]float64, block), make([]float64,
		block)
	for start := 0; start < a.Cells; start += block {
		n := min(block, a.Cells-start)
		a.Noisy(start, noisy[:n])
		a.Low(start, low[:n])
		a.High(start, high[:n])
		counts(start, rows[:n])
		for i := range n {
			enough := r.MinCount == 0 || rows[i] >= r.MinCount
			near := r.MaxRelative == 0 || (high[i]-low[i])/2 <= r.MaxRelative*math.Abs(noisy[i])
			if !enough || !near || math.IsNaN(noisy[i]) {
				hidden[(start+i)/64] |= 1 << ((start + i) % 64)
				count++
			}
		}
	}
	return hidden, count
}

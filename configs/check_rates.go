package configs

import (
	"slices"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// rates checks the quotients that are computed from a query's cells. Package pipeline checks that both queries, or the
// query and the file, have the same cells.
func (c *checker) rates(at *yamltree.Path, q *Query) {
	if len(q.Rates) == 0 {
		return
	}
	if !q.adds() {
		c.bad(at, CodeContradiction, "rates are quotients of cells that add up: the cells of a count, a histogram or a sum "+
			"of one column, with listed keys", "remove rates; a mean is a quotient itself")
		return
	}
	if q.Sparse {
		c.bad(at, CodeContradiction, "rates need all cells, and sparse leaves cells out", "remove sparse, or rates")
	}
	names := map[string]bool{}
	for i := range q.Rates {
		r, p := &q.Rates[i], at.Item(i)
		c.queryName(p.At("name"), r.Name)
		if names[r.Name] || slices.Contains([]string{"quantiles", "cdf", "sums"}, r.Name) {
			c.bad(p.At("name"), CodeDuplicate, "another table of the query has the name "+c.Show(p.At("name"), r.Name),
				"give each rate a name of its own")
		}
		names[r.Name] = true
		c.positive(p.At("times"), r.Times)
		c.positive(p.At("max_half_width"), r.MaxHalfWidth)
		c.divisor(p, q, r)
	}
}

// divisor checks the query or the file by whose numbers a rate divides.
func (c *checker) divisor(at *yamltree.Path, q *Query, r *Rate) {
	if r.File != "" {
		c.file(at.At("file"), r.File)
	}
	switch {
	case (r.Per == "") == (r.File == ""):
		c.bad(at, CodeContradiction, "a rate is per a query or per the numbers of a file",
			"write per: QUERY, or file, value and on")
	case r.Per != "":
		if r.Value != "" || len(r.On) > 0 {
			c.bad(at, CodeContradiction, "value and on are columns of a file", "remove them, or name the file")
		}
		k := slices.IndexFunc(c.job.Queries, func(other Query) bool { return other.Name == r.Per })
		switch {
		case k < 0:
			c.bad(at.At("per"), CodeBadValue, "there is no query "+c.Show(at.At("per"), r.Per),
				wording.DidYouMean(r.Per, c.queryNames(q.Name)))
		case &c.job.Queries[k] == q:
			c.bad(at.At("per"), CodeContradiction, "a query per itself is 1", "name another")
		case !c.job.Queries[k].adds():
			c.bad(at.At("per"), CodeContradiction, "the query "+c.Show(at.At("per"), r.Per)+
				" is not a count, a histogram or a sum of one column with listed keys", "name one that is")
		}
	case r.Value == "" || len(r.On) == 0:
		c.bad(at, CodeMissing, "name the file's columns: value has the numbers, and on names the cell",
			"for example value: inhabitants, on: [region]")
	}
}

// adds reports whether the query's cells can be divided in a rate: they are noisy counts or sums with listed keys, and
// their noise is independent of other queries' noise.
func (q *Query) adds() bool {
	return !q.discovers() && (q.Count != nil || q.Histogram != nil || q.Sum != nil && q.Sum.Length == 0 &&
		len(q.Sum.Columns) == 0)
}

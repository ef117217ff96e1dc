package configs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// maxUpstreamBound is the largest bound that an upstream unit may state, so that products of two bounds fit 64 bits.
const maxUpstreamBound = 1 << 31

// upstream checks a privacy unit that the producer of the table bounded, and a table of counts. Such a table has no
// column that identifies units, so the program cannot group the rows of a unit.
func (c *checker) upstream(unit, input *yamltree.Path) {
	u, counts := c.job.Privacy.Unit.Upstream, input.At("counts")
	if c.job.Input.Counts != nil {
		c.counts()
	}
	if u == nil {
		if c.job.Input.Counts != nil && c.isValid(unit) {
			c.bad(counts, CodeContradiction, "the rows of a table of counts belong to no unit that the program could bound",
				"write privacy.unit: {upstream: NAME, max_rows: N, max_change: M}; if the table has a column of units, remove "+
					"counts and add the numbers up: sum: {column: NAME, clamp: [0, N]}")
		}
		return
	}
	c.name(unit.At("upstream"), u.Name)
	c.unique(unit.At("distinct"), u.Distinct, "column")
	c.upstreamBounds(unit, u)
	refused := "the program sees no units, and cannot bound them: the producer of the table did"
	if c.has((*yamltree.Path)(nil).At("privacy").At("per_unit")) {
		c.bad((*yamltree.Path)(nil).At("privacy").At("per_unit"), CodeContradiction, refused, "remove per_unit")
	}
	if len(c.job.Units) > 0 {
		c.bad((*yamltree.Path)(nil).At("units"), CodeContradiction, "the table has no column of units: their rows cannot "+
			"be put together",
			"remove units, and queries over units")
	}
	for i := range c.job.Queries {
		q, at := &c.job.Queries[i], (*yamltree.Path)(nil).At("queries").Item(i)
		if q.PerUnit != nil {
			c.bad(at.At("per_unit"), CodeContradiction, refused, "remove per_unit")
		}
		if q.CountsUnits() {
			c.bad(at.At("count").At("measure"), CodeContradiction, refused, "remove measure")
		}
	}
	if len(c.job.Input.Events) > 0 {
		c.bad(input.At("events"), CodeContradiction, "the promise of the producer is about rows, not about events",
			"write the events as rows of the table, and promise what holds of them")
	}
}

// upstreamBounds checks that the producer's promise bounds how much one unit changes the table.
func (c *checker) upstreamBounds(at *yamltree.Path, u *Upstream) {
	for key, bound := range map[string]int64{"max_rows": u.MaxRows, "max_change": u.MaxChange, "max_sum": u.MaxSum} {
		if bound > maxUpstreamBound {
			c.bad(at.At(key), CodeBadValue, fmt.Sprintf("is above 2^31 = %d", int64(maxUpstreamBound)), "lower it")
		}
	}
	rows, change, sum := c.has(at.At("max_rows")), c.has(at.At("max_change")), c.has(at.At("max_sum"))
	switch {
	case c.job.Input.Counts == nil && (change || sum):
		key := "max_change"
		if sum {
			key = "max_sum"
		}
		c.bad(at.At(key), CodeContradiction, key+" goes with a table of counts",
			"name the column of counts: input.counts: {column: NAME}; or promise max_rows")
	case c.job.Input.Counts == nil && !rows:
		c.bad(at, CodeMissingBound, "the number of rows of one unit is not bounded", "add max_rows: N, as the producer of "+
			"the table promises it")
	case c.job.Input.Counts != nil && sum && (rows || change || len(u.Distinct) > 0):
		c.bad(at.At("max_sum"), CodeContradiction, "max_sum stands in place of max_rows, max_change and distinct",
			"keep what the producer promises: all changes of one unit together, or how many rows it changes and by how much")
	case c.job.Input.Counts != nil && !sum && !(rows && change):
		c.bad(at, CodeMissingBound, "the change of the counts by one unit is not bounded",
			"add max_rows: N, the number of counts that it changes, and max_change: M; or max_sum, all changes together")
	}
}

// counts checks that queries count, and that nothing else reads the column of counts: a filter on it would turn a
// change of 1 into a change of the whole count.
func (c *checker) counts() {
	column := c.job.Input.Counts.Column
	other := func(place *yamltree.Path, name string) {
		if name == column && name != "" {
			c.bad(place, CodeContradiction, "the column holds the counts: one unit could change anything else computed "+
				"from it by more than it changes a count", "use other columns here")
		}
	}
	var top *yamltree.Path
	for i := range c.job.Input.Where {
		other(top.At("input").At("where").Item(i).At("column"), c.job.Input.Where[i].Column)
	}
	for i := range c.job.Input.Lookups {
		on := top.At("input").At("lookups").Item(i).At("on")
		for _, name := range slices.Sorted(maps.Keys(c.job.Input.Lookups[i].On)) {
			other(on.At(name), name)
		}
	}
	if u := c.job.Privacy.Unit.Upstream; u != nil {
		for i, name := range u.Distinct {
			other(top.At("privacy").At("unit").At("distinct").Item(i), name)
		}
	}
	for i := range c.job.Queries {
		q, at := &c.job.Queries[i], top.At("queries").Item(i)
		for kind := range q.Aggregates() {
			c.bad(at.At(kind), CodeContradiction, "values cannot be added up in a table of counts",
				"count: queries are count, histogram and crosstabs")
		}
		if q.discovers() {
			c.bad(at, CodeContradiction, "keys are discovered by the number of their units, which a table of counts does not "+
				"tell",
				"list the keys")
		}
		for k := range q.Where {
			other(at.At("where").Item(k).At("column"), q.Where[k].Column)
		}
		for by, dimensions := range q.Dimensions() {
			for k := range dimensions {
				d, place := &dimensions[k], at.At(by).At("by").Item(k)
				other(place.At("column"), d.Column)
				if g := d.Grid; g != nil {
					other(place.At("grid").At("lat"), g.Lat)
					other(place.At("grid").At("lon"), g.Lon)
				}
				if n := d.Nearest; n != nil {
					other(place.At("nearest").At("lat"), n.Lat)
					other(place.At("nearest").At("lon"), n.Lon)
				}
			}
		}
	}
}

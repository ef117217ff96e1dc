package configs

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

var (
	queryName  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	windowText = regexp.MustCompile(`^[1-9][0-9]{0,8}[smhdw]$`)
	// answerColumns are the columns that every table of a release has.
	answerColumns = []string{"noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"}
)

func (c *checker) queries(at *yamltree.Path) {
	names := map[string]bool{}
	for i := range c.job.Queries {
		q, p := &c.job.Queries[i], at.Item(i)
		c.queryName(p.At("name"), q.Name)
		if q.Name != "" && names[q.Name] {
			c.bad(p.At("name"), CodeDuplicate, "another query has the name "+c.Show(p.At("name"), q.Name),
				"give each query a name of its own; it names its files")
		}
		names[q.Name] = true
		c.query(p, q)
	}
}

func (c *checker) queryName(at *yamltree.Path, name string) {
	switch {
	case name == "":
	case !queryName.MatchString(name):
		c.bad(at, CodeBadValue, "the name "+c.Show(at, name)+" cannot name a file everywhere",
			"use lower-case letters, digits, _ and -, at most 64, beginning with a letter or digit")
	case name == "release":
		c.bad(at, CodeBadValue, "the name release is taken by release.json", "choose another name")
	}
}

func (c *checker) query(at *yamltree.Path, q *Query) {
	c.kind(at)
	if q.PerUnit != nil {
		c.perUnit(at.At("per_unit"), q.PerUnit)
		c.discoveredBound(at.At("per_unit"), c.job.Privacy.PerUnit.with(q.PerUnit), q.PerUnit)
	}
	c.from(at, q)
	c.overUnits(at, q)
	for i := range q.Where {
		c.filter(at.At("where").Item(i), &q.Where[i])
	}
	c.bounded(at, q)
	c.sampled(at, q)
	c.positive(at.At("sensitivity"), q.Sensitivity)
	c.positive(at.At("weight"), q.Weight)
	c.positive(at.At("max_error"), q.MaxError)
	c.accuracy(at, q)
	c.publish(at.At("publish"), q.Publish)
	if q.Sparse && q.Count != nil {
		c.bad(at.At("sparse"), CodeContradiction, "a count is one number: there is nothing to leave out", "remove sparse")
	}
	if q.CountsUnits() && c.rowUnit() {
		c.bad(at.At("count").At("measure"), CodeContradiction, "no bound cuts a unit of one row",
			"remove measure, or name the "+
				"columns that identify the privacy unit: unit: [user_id]")
	}
	if q.CountsUnits() && c.job.Bounds(q).MaxRows.Discovers() {
		c.bad(at.At("count").At("measure"), CodeContradiction, "the bound of this query is found in the same run",
			"write per_unit: {max_rows: N} for this query")
	}
	if w, kind := q.RowWeight(); w != nil {
		c.rowWeight(at.At(kind), q, w)
	}
	for kind, by := range q.Dimensions() {
		c.dimensions(at.At(kind).At("by"), by)
		if q.Crosstabs == nil {
			c.withoutLevels(at.At(kind).At("by"), by)
		}
	}
	if q.Histogram != nil {
		c.optimized(at, q)
		if q.Histogram.MinUnits != 0 && !q.discovers() {
			c.bad(at.At("histogram").At("min_units"), CodeContradiction,
				"no keys are discovered, and listed cells are all published", "remove min_units, or discover the keys with keys: "+
					"discover")
		}
	}
	if q.Crosstabs != nil {
		c.crosstabs(at, q)
	}
	for _, kind := range Kinds {
		if a := q.Aggregates()[kind]; a != nil {
			c.aggregate(at.At(kind), a)
			c.checkNullPolicy(at.At(kind), q, a)
		}
	}
	if q.Sum != nil && q.Sum.Rows > 0 {
		c.bad(at.At("sum").At("rows"), CodeContradiction, "a public number of terms goes with a mean", "remove rows")
	}
	for i := range q.Denoise {
		c.step(at.At("denoise").Item(i), q, &q.Denoise[i])
	}
	c.margins(at.At("margins"), q)
	c.rates(at.At("rates"), q)
}

// rowWeight checks the weights of rows, and reports keys that need unweighted row counts. kind is the path of the
// query's kind.
func (c *checker) rowWeight(kind *yamltree.Path, q *Query, w *RowWeight) {
	at := kind.At("weight")
	c.clamp(at.At("clamp"), w.Clamp)
	if len(w.Clamp) == 2 {
		if lo, ok := w.Clamp[0].rat(); ok && lo.Sign() < 0 {
			c.bad(at.At("clamp"), CodeBadValue, "a weight below 0 stands for no number of people or things", "write [0, hi]")
		}
	}
	wrong := ""
	switch m := q.Mean; {
	case c.job.Input.Counts != nil:
		wrong = "a table of counts, whose rows have their counts as weights"
	case q.CountsUnits():
		wrong = "measure, which counts units"
	case q.Histogram != nil && q.discovers():
		wrong = "keys that are discovered, which are selected by numbers of units; sum: {column: " +
			yamltree.Shown(w.Column) + "} adds weights up by the keys of another histogram"
	case q.Histogram != nil && q.Histogram.dependent():
		wrong = "optimize and noise, which lay out the noise of numbers of rows"
	case q.Histogram != nil && len(q.Margins) > 0:
		wrong = "margins, which are numbers of rows"
	case q.Sum != nil || q.Variance != nil:
		wrong = "a sum or a variance; for a weighted sum, derive a column that is the product"
	case m != nil && (len(m.Columns) > 0 || m.Length > 0 || m.ClipL2 != "" || m.Clamp.Discovers() || m.Rows > 0):
		wrong = "columns, length, clip_l2, clamp: discover and rows: a weighted mean has one column with a clamp"
	}
	if wrong != "" {
		c.bad(at, CodeContradiction, "weight does not go with "+wrong, "remove one of them")
	}
}

// step reports what is wrong with a denoising step, each problem at its key.
func (c *checker) step(at *yamltree.Path, q *Query, s *Denoise) {
	if c.judge == nil || s.Method == "" {
		return
	}
	for _, p := range c.judge(q, s) {
		place := at
		if p.Key != "" {
			place = at.At(p.Key)
		}
		c.bad(place, p.Code, p.Message, p.Hint)
	}
}

// kind checks that the query has exactly one kind.
func (c *checker) kind(at *yamltree.Path) {
	var found []string
	for _, k := range Kinds {
		if c.has(at.At(k)) {
			found = append(found, k)
		}
	}
	switch {
	case len(found) == 0:
		c.bad(at, CodeMissing, "the query asks nothing", "add count: {}, or histogram, crosstabs, sum, mean or variance")
	case len(found) > 1:
		c.bad(at.At(found[1]), CodeContradiction, "the query asks for "+wording.Join(found)+" at once",
			"make a query of each; they share the budget by weight")
	}
}

// publish checks the conditions under which a cell is shown.
func (c *checker) publish(at *yamltree.Path, p *Publish) {
	if p != nil {
		c.positive(at.At("min_count"), p.MinCount)
		c.positive(at.At("max_relative_error"), p.MaxRelativeError)
	}
}

// accuracy checks a query's accuracy target. If epsilon is split by targets, each query must have one.
func (c *checker) accuracy(at *yamltree.Path, q *Query) {
	inside := at.At("accuracy")
	if a := q.Accuracy; a != nil {
		c.positive(inside.At("95%"), a.HalfWidth)
		c.positive(inside.At("at"), a.At)
		c.unique(inside.At("table"), a.Table, "dimension")
	}
	if c.job.Privacy.Weights != "auto" {
		return
	}
	if !c.has(inside) {
		c.bad(at, CodeMissing, "with privacy.weights: auto every query needs accuracy",
			"add accuracy: {95%: HALF_WIDTH}, or give weights")
	}
	if c.has(at.At("weight")) {
		c.bad(at.At("weight"), CodeContradiction, "privacy.weights: auto works the weights out", "remove one of them")
	}
}

// crosstabs checks the tables of crosstabs, and reports keys that cannot be combined with crosstabs.
func (c *checker) crosstabs(at *yamltree.Path, q *Query) {
	x, inside := q.Crosstabs, at.At("crosstabs")
	if len(x.By) > 0 {
		c.withoutLevels(inside.At("by"), append([]Dimension{{}}, x.By[1:]...))
	}
	for i := range x.Tables {
		p := inside.At("tables").Item(i)
		c.unique(p.At("by"), x.Tables[i].By, "dimension")
		c.positive(p.At("weight"), x.Tables[i].Weight)
	}
	for i := range x.Known {
		c.file(inside.At("known").Item(i).At("file"), x.Known[i].File)
	}
	if len(x.By) > 0 && len(x.By[0].Levels) > 0 {
		for _, key := range []string{"ways", "tables"} {
			if c.has(inside.At(key)) {
				c.bad(inside.At(key), CodeContradiction, "with levels, each level by all dimensions is a table",
					"remove "+key+"; ask other tables in a query of their own")
			}
		}
	} else if c.has(inside.At("known")) {
		c.bad(inside.At("known"), CodeContradiction, "only levels have known totals", "give the first dimension levels")
	} else if !c.has(inside.At("ways")) && !c.has(inside.At("tables")) {
		c.bad(inside, CodeMissing, "no table is asked", "add ways: [1, 2], or tables")
	}
	c.without(at, q, "tables that share their noise", "denoise", "sparse", "sensitivity")
}

// optimized reports keys that cannot be combined with a histogram whose noise is not independent in each cell.
func (c *checker) optimized(at *yamltree.Path, q *Query) {
	if q.Histogram.Optimize == "cdf" {
		c.without(at, q, "optimize: cdf, under which the noise of the cells is not independent", "denoise", "sparse",
			"sensitivity", "margins")
	}
	if q.Histogram.Optimize == "keys" {
		c.weighted(at.At("histogram"), q)
	}
	if q.Histogram.Noise != "auto" {
		return
	}
	c.without(at, q, "noise: auto, under which the noise of the cells may not be independent", "denoise", "sparse",
		"sensitivity", "margins")
	noise := at.At("histogram").At("noise")
	switch {
	case q.Histogram.Optimize == "cdf":
		c.bad(noise, CodeContradiction, "noise: auto does not go with optimize: cdf, which lays the noise out for sums",
			"remove one of them")
	case q.discovers():
		c.bad(noise, CodeContradiction, "noise: auto needs listed cells, and keys are discovered",
			"list the keys, or remove noise")
	}
}

// weighted reports keys that cannot be combined with a histogram whose keys are selected by weights of units.
func (c *checker) weighted(at *yamltree.Path, q *Query) {
	optimize := at.At("optimize")
	switch {
	case !q.discovers():
		c.bad(optimize, CodeContradiction, "no keys are discovered: they are all published", "remove optimize, or discover "+
			"the keys with keys: discover")
	case q.Histogram.MinUnits != 0:
		c.bad(at.At("min_units"), CodeContradiction, "keys are selected by weights of units, not by their number",
			"remove one of min_units and optimize: keys")
	case c.rowUnit() || c.job.Privacy.Unit.Upstream != nil:
		c.bad(optimize, CodeContradiction, "the program does not put the rows of a unit together, so that it does not know "+
			"how many keys a unit has", "remove optimize, or name the columns of the unit: unit: [user_id]")
	}
}

// without reports keys that cannot be combined with a feature of the query. what names the feature, such as quantiles.
// A key with its default value is always allowed.
func (c *checker) without(at *yamltree.Path, q *Query, what string, keys ...string) {
	set := map[string]bool{"denoise": len(q.Denoise) > 0, "margins": len(q.Margins) > 0,
		"sensitivity": q.Sensitivity != "",
		"sparse":      q.Sparse}
	for _, key := range keys {
		if set[key] {
			c.bad(at.At(key), CodeContradiction, key+" does not go with "+what, "remove "+key)
		}
	}
}

// bounded checks that the contribution of a unit to the query is bounded.
func (c *checker) bounded(at *yamltree.Path, q *Query) {
	shared := (*yamltree.Path)(nil).At("privacy").At("per_unit")
	if len(c.job.Privacy.Unit.Columns) == 0 || c.Troubled(shared.String()) || c.Troubled(at.At("per_unit").String()) {
		return
	}
	b := c.job.Bounds(q)
	if q.discovers() && b.MaxGroups == 0 {
		c.bad(at, CodeMissingBound, fmt.Sprintf("nothing bounds in how many keys one unit (%s) counts", c.unitText()),
			"add per_unit: {max_groups: N}; if keys are discovered it is required")
		return
	}
	if q.discovers() && q.Histogram != nil {
		return
	}
	if b.MaxRows != 0 || b.MaxGroups > 0 && b.MaxRowsPerGroup > 0 {
		return
	}
	c.bad(at, CodeMissingBound, fmt.Sprintf("nothing bounds what one unit (%s) contributes to the query", c.unitText()),
		"add per_unit: {max_rows: N} here or under privacy, or max_groups together with max_rows_per_group; rows beyond "+
			"the bound are left out")
}

// discovers reports whether the keys of the query's cells come from the data.
func (q *Query) discovers() bool {
	private := func(by []Dimension) bool {
		return slices.ContainsFunc(by, func(d Dimension) bool { return d.Keys != "" })
	}
	for _, a := range q.Aggregates() {
		if private(a.By) {
			return true
		}
	}
	return q.Histogram != nil && private(q.Histogram.By)
}

func (c *checker) unitText() string {
	var names []string
	for _, u := range c.job.Privacy.Unit.Columns {
		names = append(names, yamltree.Shown(u))
	}
	return wording.Short(strings.Join(names, ", "), 200)
}

func (c *checker) positive(at *yamltree.Path, d Decimal) {
	if r, ok := d.rat(); ok && r.Sign() <= 0 {
		c.bad(at, CodeBadValue, "must be greater than 0, is "+c.Show(at, string(d)), "")
	}
}

// checkNullPolicy checks the keys null and nan, which decide what happens to rows without a value.
func (c *checker) checkNullPolicy(at *yamltree.Path, q *Query, a *Aggregate) {
	want := c.job.nullPolicy(q, a)
	for _, policy := range [][2]string{{"null", a.Null}, {"nan", a.NaN}} {
		switch {
		case policy[1] == want || !c.isValid(at.At(policy[0])):
		case want == "centre":
			c.bad(at.At(policy[0]), CodeContradiction, "rows without a value cannot be left out of a public number of terms",
				"write centre, or declare no number of rows")
		default:
			c.bad(at.At(policy[0]), CodeContradiction, "centre goes with a mean of a public number of terms",
				"leave it out: rows without a value are dropped")
		}
	}
}

func (c *checker) aggregate(at *yamltree.Path, a *Aggregate) {
	c.unique(at.At("columns"), a.Columns, "column")
	switch one, many := c.has(at.At("column")), c.has(at.At("columns")); {
	case one && many:
		c.bad(at.At("columns"), CodeContradiction, "column and columns are both there", "keep one of them")
	case !one && !many:
		c.bad(at, CodeMissing, "there is no column", "add column: NAME")
	}
	if a.Length > 0 && !c.has(at.At("column")) {
		c.bad(at.At("length"), CodeContradiction, "length goes with one column of lists", "remove it")
	}
	if !c.has(at.At("clamp")) && !c.has(at.At("clip_l2")) {
		c.bad(at, CodeMissing, "nothing bounds the values",
			"add clamp: [lo, hi] from what you know about the column, never from the data")
	}
	c.clampOf(at, a)
	c.positive(at.At("clip_l2"), a.ClipL2)
	if a.Rows > 0 && c.job.Privacy.Adjacency != "replace-one" {
		c.bad(at.At("rows"), CodeContradiction, "a public number of terms goes with adjacency: replace-one",
			"remove rows, or set privacy.adjacency to replace-one")
	}
}

// clampOf checks the clamp. If the clamp is found privately, it checks the range within which it is found.
func (c *checker) clampOf(at *yamltree.Path, a *Aggregate) {
	if !a.Clamp.Discovers() {
		c.clamp(at.At("clamp"), a.Clamp)
		for _, key := range []string{"range", "clamp_share"} {
			if c.has(at.At(key)) {
				c.bad(at.At(key), CodeContradiction, key+" goes with clamp: discover", "write clamp: discover, or remove "+key)
			}
		}
		return
	}
	if !c.has(at.At("range")) {
		c.bad(at.At("clamp"), CodeMissing, "there is no public range in which to look for the clamp",
			"add range: [lo, hi], which may be generous, such as [0, 1e9]; never from the data")
	}
	c.clamp(at.At("range"), a.Range)
	if share, ok := a.ClampShare.rat(); ok && (share.Sign() <= 0 || share.Cmp(big.NewRat(1, 1)) >= 0) {
		c.bad(at.At("clamp_share"), CodeBadValue, "must be above 0 and below 1, is "+c.Show(at.At("clamp_share"),
			string(a.ClampShare)), "leave it out: a tenth is spent")
	}
}

func (c *checker) clamp(at *yamltree.Path, clamp []Decimal) {
	if !c.isValid(at) {
		return
	}
	if len(clamp) != 2 {
		c.bad(at, CodeBadValue, fmt.Sprintf("must be two numbers, has %d", len(clamp)), "write [lo, hi]")
		return
	}
	lo, ok1 := clamp[0].rat()
	hi, ok2 := clamp[1].rat()
	if ok1 && ok2 && lo.Cmp(hi) >= 0 {
		c.bad(at, CodeBadValue, "the lower end is not below the upper end", "write [lo, hi] with lo < hi")
	}
}

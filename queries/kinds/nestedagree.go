package kinds

import (
	"context"
	"math"
	"slices"
)

// Levels that are non-negative or integers
//
// The estimates of nested levels are made non-negative or integer from the top down, as in the release of a census.
// First come the totals of the whole tree, which have the least noise for their size, then the groups of the first
// level, and so on. The children of one group form a table with a row for each child and a column for each cell. Its
// column sums must be the cells of the group, which are already final. So a correction changes only the children of one
// group, and every level keeps the total of the whole tree.
//
// There are two candidates for a non-negative table near the estimates. The cellwise table is fitted column by column.
// It has small errors, but a child with few rows gets a total that is too large, all the more if it has many cells. For
// the totals-first table, the totals of the children are fitted first, and then the nearest table with these totals:
// its totals have less bias and more noise. The result is a weighted mean of both tables, with one weight for each
// level.
//
// The weight of the totals-first table minimizes the expected squared error of the totals in this level and the levels
// above it. This error is estimated from the noisy numbers (Stein 1981, Estimation of the mean of a multivariate normal
// distribution). The weight is then raised by its standard error. If the noise does not determine the weight well, this
// hardly changes the squared error, and small totals are less often too large.
//
// The totals of the totals-first table are best linear predictions, not sums of noisy cells. Suppose that a child has a
// fraction p of each cell W_j of its group, up to a deviation with variance b·W_j², and that the noise of a cell has
// variance v. Then p is a weighted mean of the quotients of the child's and the group's cells. The prediction of the
// child's cell is p·W_j plus a fraction b·W_j²/(b·W_j² + v) of the remaining difference. So cells that are 0 in the
// group add no noise to the total, and small cells little. b is (n-1)/n², the variance of p if one of n children has
// all rows (Robinson 1991, That BLUP is a good thing, Statistical Science 6).

// nestedRounds limits how often the table of a group's children is projected. Scaling removes the remaining error.
const nestedRounds = 100

// agree returns integer or non-negative tables near the estimates x, for which all levels add up. x[l] and result[l]
// hold the cells of each node of level l. variances[l][i] is the variance of a cell of node i in level l.
func (q *Nested) agree(ctx context.Context, x, variances [][]float64) [][]float64 {
	cells, last := q.Tree.Cells(), q.Tree.Levels()-1
	c := children{cells: cells, nonnegative: q.Spec.Crosstabs.Nonnegative, integers: q.Spec.Crosstabs.RoundTo > 0,
		stopped: func() bool { return ctx.Err() != nil }}
	base := float64(max(q.Spec.Crosstabs.RoundTo, 1)) // integers are in units of base
	x, variances = multiplied(x, 1/base), multiplied(variances, 1/(base*base))
	out := make([][]float64, last+1)
	known := q.known()
	whole, variance := make([]float64, cells), sumOf(variances[0])
	for i := range variances[0] {
		for j := range cells {
			whole[j] += x[0][i*cells+j]
		}
	}
	total := sumOf(whole)
	if known[0] != nil {
		total = sumOf(known[0])
	}
	if c.nonnegative {
		total = max(total, 0)
	}
	if c.integers {
		total = math.Round(total)
	}
	whole = c.sums(whole, total)
	for l := range out {
		out[l] = slices.Clone(x[l])
		// each calls do for each group of the level above l, with the group's children in level l. Before the call, it sets
		// c.whole, c.variance and c.total to the values of the group.
		each := func(do func(x, variances, totals []float64)) {
			groups := 1
			if l > 0 {
				groups = q.Tree.Size(l - 1)
			}
			for i := 0; i < groups && !c.stopped(); i++ {
				from, to := 0, q.Tree.Size(0)
				c.whole, c.variance = whole, variance
				if l > 0 {
					from, to = q.Tree.Children(l-1, i)
					c.whole, c.variance = out[l-1][i*cells:(i+1)*cells], variances[l-1][i]
				}
				c.total = sumOf(c.whole)
				var totals []float64
				if known[l] != nil {
					totals = known[l][from:to]
				}
				do(out[l][from*cells:to*cells], variances[l][from:to], totals)
			}
		}
		c.mix.weight = 1
		if c.nonnegative && known[l] == nil {
			each(c.weigh)
			c.mix.setWeight()
		}
		each(c.fitTable)
	}
	if c.stopped() {
		return nil
	}
	return multiplied(out, base)
}

// multiplied returns x, or copies of its tables times factor if factor is not 1.
func multiplied(x [][]float64, factor float64) [][]float64 {
	if factor == 1 {
		return x
	}
	out := make([][]float64, len(x))
	for k := range x {
		out[k] = make([]float64, len(x[k]))
		for i, y := range x[k] {
			out[k][i] = factor * y
		}
	}
	return out
}

// children fits the table of the children of a group, one group after another.
type children struct {
	cells                 int
	nonnegative, integers bool
	// whole holds the cells of the group, total is their sum, and variance is the variance of the estimate of one cell.
	whole           []float64
	total, variance float64
	// stopped reports whether the run was cancelled. If so, the tables are not finished.
	stopped func() bool

	// mix chooses the weight of the totals-first table.
	mix mixture

	rows, columns, below, column, cellwise []float64 // working memory
}

// mixture chooses the weight w of the totals-first table and the weight 1 - w of the cellwise table. Let t be the noisy
// totals, and m the totals of the weighted mean of both tables. The expected squared error of m is |m - t|² + 2·cov(m,
// t) plus a constant. In a projection, a coordinate that is 0 does not move with t; each other coordinate adds the
// variance of t to the covariance.
type mixture struct {
	above, below float64 // the weight that minimizes the error is above/below, limited to [0, 1]
	square       float64 // the variance of above
	weight       float64
}

// add takes the children of one group into account. It gets the totals of the children: the noisy ones, those of the
// totals-first table (first), and those of the cellwise table. variance is the variance of a noisy total of all cells,
// an upper bound on the variance of noisy. covariance is the covariance of first with noisy minus the covariance of
// cellwise with noisy.
func (w *mixture) add(noisy, first, cellwise []float64, variance, covariance float64) {
	for i, f := range first {
		w.above += (noisy[i] - cellwise[i]) * (f - cellwise[i])
		w.square += variance * (f - cellwise[i]) * (f - cellwise[i])
		w.below += (f - cellwise[i]) * (f - cellwise[i])
	}
	w.above -= covariance
}

func (w *mixture) setWeight() {
	w.weight = 0
	if w.below > 0 {
		w.weight = min(max(w.above/w.below, 0)+math.Sqrt(w.square)/w.below, 1)
	}
}

// sums returns numbers near x with the given total. They are integers, or non-negative, if the job requests this.
func (c *children) sums(x []float64, total float64) []float64 {
	out := c.adjusted(x, total, 0)
	if c.integers {
		out = roundTo(total, out)
	}
	return out
}

// adjusted returns numbers near x with the given total. They are non-negative if the job requests this. If deviation is
// 0, they are the nearest such numbers. Otherwise deviation is the standard deviation of x, and numbers that are small
// compared with it are changed first.
func (c *children) adjusted(x []float64, total, deviation float64) []float64 {
	shift := (total - sumOf(x)) / float64(len(x))
	out := slices.Clone(x)
	for i := range out {
		out[i] += shift
	}
	if c.nonnegative && slices.Min(out) < 0 {
		if total <= 0 {
			clear(out)
			return out
		}
		out = withSum(out, total, fewBelow*deviation)
	}
	return out
}

// mixes reports whether the table of n children is a mixture of two tables. It is not if negative cells are allowed, or
// if known totals or the group's cells determine the table.
func (c *children) mixes(n int, totals []float64) bool {
	return c.nonnegative && totals == nil && c.cells > 1 && n > 1 && c.total > 0
}

// weigh takes the table x of one group's children into account when the weight is chosen.
func (c *children) weigh(x, variances, totals []float64) {
	if !c.mixes(len(variances), totals) {
		return
	}
	noisy := make([]float64, len(variances)) // add up only the cells that are not 0 in the group
	for i := range noisy {
		for j, y := range x[i*c.cells : (i+1)*c.cells] {
			if c.whole[j] > 0 {
				noisy[i] += y
			}
		}
	}
	shift := (c.total - sumOf(noisy)) / float64(len(noisy))
	for i := range noisy {
		noisy[i] += shift
	}
	predicted, slope := c.predicted(x, variances)
	first := c.adjusted(predicted, c.total, c.deviation(variances))
	c.cellwise = append(c.cellwise[:0], x...)
	variance := c.differenceVariance(variances)
	covariance := variance * (slope*freeIn(first) - c.fitColumns(c.cellwise))
	c.mix.add(noisy, first, c.totals(c.cellwise), variance*float64(c.cells), covariance)
}

// deviation returns the standard deviation of a child's total. It returns 0 if a child has only one cell: then there is
// no totals-first table, and the nearest numbers are best.
func (c *children) deviation(variances []float64) float64 {
	if c.cells == 1 {
		return 0
	}
	return math.Sqrt(sumOf(variances) / float64(len(variances)) * float64(c.cells))
}

// predicted returns the best linear predictions of the children's totals from the cells of the table x. slope is the
// increase of a prediction if each cell of its child grows by 1. If negative cells are allowed, or the group has one
// child, predicted returns the sums of the cells, and c.cells.
func (c *children) predicted(x, variances []float64) (totals []float64, slope float64) {
	n := len(variances)
	if !c.nonnegative || n == 1 {
		return c.totals(x), float64(c.cells)
	}
	v, b := c.differenceVariance(variances), float64(n-1)/float64(n*n)
	squares, rest := 0.0, 0.0
	for _, w := range c.whole {
		if w > 0 {
			squares += w * w / (v + b*w*w)
			rest += w * v / (v + b*w*w)
		}
	}
	totals = make([]float64, n)
	for j, w := range c.whole {
		if w <= 0 {
			continue
		}
		column := 0.0
		for i := range n {
			column += x[i*c.cells+j]
		}
		shift := (w - column) / float64(n)
		weight := (w*rest/squares + b*w*w) / (v + b*w*w)
		slope += weight
		for i := range n {
			totals[i] += weight * (x[i*c.cells+j] + shift)
		}
	}
	return totals, slope
}

// differenceVariance returns half the variance of the difference between the cells of two children. Before they were
// adjusted to the group, the n children's estimates had independent errors of some variance v. The adjusted estimate of
// a child has the variance v·(1 − 1/n) plus the variance of the group divided by n². The function returns v.
func (c *children) differenceVariance(variances []float64) float64 {
	n := float64(len(variances))
	return max(0, sumOf(variances)/n-c.variance/(n*n)) * n / (n - 1)
}

// freeIn returns the degrees of freedom of non-negative numbers with a fixed sum: one less than the number of those
// that are not 0.
func freeIn(x []float64) float64 {
	n := -1
	for _, y := range x {
		if y > 0 {
			n++
		}
	}
	return float64(max(n, 0))
}

// fitColumns replaces the table x by a non-negative table near it whose column sums are the group's cells. It fits each
// column separately, and returns the degrees of freedom of the result.
func (c *children) fitColumns(x []float64) (free float64) {
	c.column = slices.Grow(c.column[:0], len(x)/c.cells)[:len(x)/c.cells]
	for j, total := range c.whole {
		for i := range c.column {
			c.column[i] = x[i*c.cells+j]
		}
		fitted := c.adjusted(c.column, total, 0)
		for i, y := range fitted {
			x[i*c.cells+j] = y
		}
		free += freeIn(fitted)
	}
	return free
}

// totals returns the sum of the cells of each child.
func (c *children) totals(x []float64) []float64 {
	totals := make([]float64, len(x)/c.cells)
	for i := range totals {
		totals[i] = sumOf(x[i*c.cells : (i+1)*c.cells])
	}
	return totals
}

func sumOf[T int | float64](x []T) (sum T) {
	for _, y := range x {
		sum += y
	}
	return sum
}

// fitTable replaces the table x of a group's children by a table near it whose column sums are the group's cells. If
// totals is not nil, it holds the public totals of the children, which become the row sums. variances[i] is the
// variance of a cell of child i.
func (c *children) fitTable(x, variances, totals []float64) {
	n := len(variances)
	mixed := c.mixes(n, totals)
	if mixed {
		c.cellwise = append(c.cellwise[:0], x...)
		c.fitColumns(c.cellwise)
	}
	if !mixed || c.mix.weight > 0 {
		if totals == nil {
			totals, _ = c.predicted(x, variances)
			totals = c.adjusted(totals, c.total, c.deviation(variances))
			if c.integers && !mixed {
				totals = roundTo(c.total, totals)
			}
		}
		c.fitSums(x, totals)
	}
	if mixed {
		for i, y := range c.cellwise {
			x[i] = c.mix.weight*x[i] + (1-c.mix.weight)*y
		}
		first := totals
		totals = c.totals(x)
		if c.integers {
			for i, y := range first {
				if y == 0 && totals[i] < 1 { // less than one row, and 0 in the totals-first table
					totals[i] = 0
				}
			}
			scale := c.total / sumOf(totals)
			for i := range totals {
				totals[i] *= scale
			}
			totals = roundTo(c.total, totals)
		}
	}
	if c.integers && c.cells > 1 && n > 1 {
		roundTable(x, totals, c.whole)
	}
}

// fitSums replaces the table x by a table near it whose column sums are the group's cells and whose row sums are
// totals.
func (c *children) fitSums(x, totals []float64) {
	if c.cells == 1 {
		copy(x, totals)
		return
	}
	if len(totals) == 1 {
		copy(x, c.whole)
		return
	}
	if c.nonnegative && c.total <= 0 {
		clear(x)
		return
	}
	c.shift(x, totals)
	if c.nonnegative && slices.Min(x) < 0 {
		c.project(x, totals)
		for i, y := range x {
			x[i] = max(y, 0)
		}
		forceSums(x, totals, c.whole)
	}
}

// project replaces x by the nearest table with these sums that has almost no negative cell, by Dykstra's alternating
// projections.
func (c *children) project(x, totals []float64) {
	c.below = slices.Grow(c.below[:0], len(x))[:len(x)]
	clear(c.below)
	settled := settledBelow * c.total / float64(len(x))
	for range nestedRounds {
		for i := range x {
			z := x[i] + c.below[i]
			x[i], c.below[i] = max(z, 0), min(z, 0)
		}
		c.shift(x, totals)
		if slices.Min(x) > -settled || c.stopped() {
			return
		}
	}
}

// shift replaces x by the nearest table whose row sums are totals and whose column sums are the group's cells.
func (c *children) shift(x, totals []float64) {
	n := len(totals)
	c.rows, c.columns = slices.Grow(c.rows[:0], n)[:n], slices.Grow(c.columns[:0], c.cells)[:c.cells]
	copy(c.rows, totals)
	copy(c.columns, c.whole)
	all := 0.0
	for i := range n {
		for j, y := range x[i*c.cells : (i+1)*c.cells] {
			c.rows[i] -= y
			c.columns[j] -= y
		}
		all += c.rows[i]
	}
	all /= float64(n * c.cells)
	for i := range n {
		row, r := x[i*c.cells:(i+1)*c.cells], c.rows[i]/float64(c.cells)-all
		for j := range row {
			row[j] += r + c.columns[j]/float64(n)
		}
	}
}

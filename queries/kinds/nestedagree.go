package kinds

import (
	"context"
	"math"
	"slices"
)

// Levels that are non-negative or integers
//
// The estimates of nested levels are made non-negative or integer from the top down, as in the release of a census:
// first the totals of the whole tree, which have the least noise for their size, then the groups of the first level,
// and so on. The children of one group are a table with a row for each child and a column for each cell. Its column
// sums must be the cells of the group, which were made before. So a correction changes only the children of one group,
// and every level keeps the total of the whole tree.
//
// Two non-negative tables are near the estimates. The first is made column by column: it has small errors, but a child
// with few rows gets a total that is too large, all the more if it has many cells. For the second, the totals of the
// children are made first, and then the nearest table with these totals: the totals have less bias and more noise. The
// result is a weighted mean of both tables, with one weight for each level. The weight minimizes the expected squared
// error of the totals in this level and those above it, which is estimated from the noisy numbers (Stein 1981, Estimation
// of the mean of a multivariate normal distribution). It is then raised by its standard error, in favour of the totals
// that were made first: if the noise leaves the weight open, the mean's squared error is nearly the same, and small totals
// are less often too large.
//
// The totals that are made first are best linear predictions, not sums of noisy cells. Suppose that a child has a share
// p of each cell W_j of its group, up to a deviation with variance b·W_j², and that the noise of a cell has variance v.
// Then p is a weighted mean of the cells' quotients, and the child's cell is p·W_j plus the part b·W_j²/(b·W_j² + v) of
// the rest. So cells that are 0 in the group add no noise to the total, and small ones little. b is (n-1)/n², the
// variance of a share that one of n children has alone (Robinson 1991, That BLUP is a good thing, Statistical Science 6).

// nestedRounds is how often a table of children is projected; scaling removes the remaining error.
const nestedRounds = 100

// agree returns integer or non-negative tables near the estimates x. x and the result are indexed by level and then
// hold the cells of each node; in the result all levels add up. variances[l][i] is the variance of a cell of node i in
// level l.
func (q *Nested) agree(ctx context.Context, x, variances [][]float64) [][]float64 {
	cells, last := q.Tree.Cells(), q.Tree.Levels()-1
	c := children{cells: cells, nonnegative: q.Spec.Crosstabs.Nonnegative, integers: q.Spec.Crosstabs.RoundTo > 0,
		stopped: func() bool { return ctx.Err() != nil }}
	base := float64(max(q.Spec.Crosstabs.RoundTo, 1)) // integers count in units of base
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
		// each calls do once for each group of the level above l, with the group's children in level l. Before that, it sets
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
		c.first.weight = 1
		if c.nonnegative && known[l] == nil {
			each(c.weigh)
			c.first.settle()
		}
		each(c.make)
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

// children makes the table of the children of one group after another.
type children struct {
	cells                 int
	nonnegative, integers bool
	// whole holds the cells of the group, total is their sum, and variance is the variance of the estimate of one cell.
	whole           []float64
	total, variance float64
	// stopped reports whether the run was cancelled. Then the tables are left unfinished.
	stopped func() bool

	// first chooses the weight of the table whose totals are made first.
	first weighing

	rows, columns, below, column, cellwise []float64 // working memory
}

// weighing chooses the weights w and 1 - w of two tables. Table f was made from totals that were made first, table c
// column by column. Let t be the noisy totals, and m the totals of the weighted mean. The expected squared error of m
// is |m - t|² + 2·cov(m, t) plus a constant. Each coordinate of a projection that can still move with t adds the
// variance of t to the covariance; a coordinate that is 0 adds nothing.
type weighing struct {
	above, below float64 // w is above/below
	square       float64 // the variance of above
	weight       float64
}

// add adds the totals of the children of one group: noisy, of table f (first) and of table c (cellwise). variance is the
// variance of a noisy total of all cells, which is not below the variance of noisy. covariance is the covariance of f with
// the noisy totals minus the covariance of c with them.
func (w *weighing) add(noisy, first, cellwise []float64, variance, covariance float64) {
	for i, f := range first {
		w.above += (noisy[i] - cellwise[i]) * (f - cellwise[i])
		w.square += variance * (f - cellwise[i]) * (f - cellwise[i])
		w.below += (f - cellwise[i]) * (f - cellwise[i])
	}
	w.above -= covariance
}

func (w *weighing) settle() {
	w.weight = 0
	if w.below > 0 {
		w.weight = min(max(w.above/w.below, 0)+math.Sqrt(w.square)/w.below, 1)
	}
}

// sums returns numbers near x with the given total. They are integers, or non-negative, if the job requests it.
func (c *children) sums(x []float64, total float64) []float64 {
	out := c.adjusted(x, total, 0)
	if c.integers {
		out = roundTo(total, out)
	}
	return out
}

// adjusted returns numbers near x with the given total, and non-negative if the job requests it. If deviation is 0,
// they are the nearest such numbers; else it is the standard deviation of x, below which numbers are adjusted first.
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

// free reports whether the table of n children must be made non-negative and is not fixed already, by known totals or
// by the group's cells alone.
func (c *children) free(n int, totals []float64) bool {
	return c.nonnegative && totals == nil && c.cells > 1 && n > 1 && c.total > 0
}

// weigh adds the table x of one group's children to the choice of the weight.
func (c *children) weigh(x, variances, totals []float64) {
	if !c.free(len(variances), totals) {
		return
	}
	noisy := make([]float64, len(variances)) // of the cells that the group has
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
	variance := c.apart(variances)
	covariance := variance * (slope*freeIn(first) - c.makeCells(c.cellwise))
	c.first.add(noisy, first, c.totals(c.cellwise), variance*float64(c.cells), covariance)
}

// deviation returns the standard deviation of a child's total. It is 0 if a child has one cell: then the nearest numbers
// are best, and there is no second table.
func (c *children) deviation(variances []float64) float64 {
	if c.cells == 1 {
		return 0
	}
	return math.Sqrt(sumOf(variances) / float64(len(variances)) * float64(c.cells))
}

// predicted returns the best linear predictions of the children's totals from the cells of the table x, and how much a
// prediction grows if each cell of its child grows by 1. They are the sums of the cells, and c.cells, if the table need
// not be non-negative or has one child.
func (c *children) predicted(x, variances []float64) (totals []float64, slope float64) {
	n := len(variances)
	if !c.nonnegative || n == 1 {
		return c.totals(x), float64(c.cells)
	}
	v, b := c.apart(variances), float64(n-1)/float64(n*n)
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

// apart returns half the variance of the difference between the cells of two children. Their estimates share errors,
// because all were adjusted to the group. If there are n children with errors of variance v before that, each estimate
// has the variance v·(1 − 1/n) plus the variance of the group divided by n².
func (c *children) apart(variances []float64) float64 {
	n := float64(len(variances))
	return max(0, sumOf(variances)/n-c.variance/(n*n)) * n / (n - 1)
}

// freeIn returns how many of these numbers can still move if their sum is fixed: one less than the numbers that are not
// 0.
func freeIn(x []float64) float64 {
	n := -1
	for _, y := range x {
		if y > 0 {
			n++
		}
	}
	return float64(max(n, 0))
}

// makeCells replaces the table x by a near non-negative table whose column sums are the group's cells. It treats each
// column separately, and returns how many cells can still move.
func (c *children) makeCells(x []float64) (free float64) {
	c.column = slices.Grow(c.column[:0], len(x)/c.cells)[:len(x)/c.cells]
	for j, total := range c.whole {
		for i := range c.column {
			c.column[i] = x[i*c.cells+j]
		}
		made := c.adjusted(c.column, total, 0)
		for i, y := range made {
			x[i*c.cells+j] = y
		}
		free += freeIn(made)
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

func sumOf(x []float64) (sum float64) {
	for _, y := range x {
		sum += y
	}
	return sum
}

// make replaces the table x of a group's children by a near one whose column sums are the group's cells. If totals is
// not nil, it holds the public totals of the children, which the rows then have as sums. variances[i] is the variance
// of a cell of child i.
func (c *children) make(x, variances, totals []float64) {
	n := len(variances)
	free := c.free(n, totals)
	if free {
		c.cellwise = append(c.cellwise[:0], x...)
		c.makeCells(c.cellwise)
	}
	if !free || c.first.weight > 0 {
		if totals == nil {
			totals, _ = c.predicted(x, variances)
			totals = c.adjusted(totals, c.total, c.deviation(variances))
			if c.integers && !free {
				totals = roundTo(c.total, totals)
			}
		}
		c.makeWith(x, totals)
	}
	if free {
		for i, y := range c.cellwise {
			x[i] = c.first.weight*x[i] + (1-c.first.weight)*y
		}
		first := totals
		totals = c.totals(x)
		if c.integers {
			for i, made := range first {
				if made == 0 && totals[i] < 1 { // less than one row, which is not 0 only in the other table
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

// makeWith replaces the table x by a near one whose column sums are the group's cells and whose row sums are totals.
func (c *children) makeWith(x, totals []float64) {
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
		settle(x, totals, c.whole)
	}
}

// project replaces x by the nearest table with these sums that has almost no negative cell (Dykstra's alternation).
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

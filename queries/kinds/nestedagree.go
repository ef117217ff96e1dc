package kinds

import (
	"context"
	"math"
	"slices"
)

// Levels that are not negative, or whole
//
// The estimates of nested levels are made non-negative or whole from the top down, as in the release of a census: first
// the cells of the whole, which are measured best for their size, then the groups of the first level, and so on. The
// children of one group are a table of two dimensions, children by cells. Its sums over children are the cells of the
// group, which are made already. Its sums over cells are the totals of the children: they are made first, since cells
// that are cut off at 0 would make the totals of small groups too large. The table is then the nearest one to the
// estimates that has these sums and no negative cell. A correction thus never leaves the children of one group, and
// every level has the total of the whole, to which cutting off adds nothing.

// nestedRounds is the number of projections of a table of children; scaling removes the remaining error.
const nestedRounds = 100

// agree returns integer or non-negative tables near the estimates x, by level, node and cell, in which all levels add
// up. variances[l][i] is the variance of a cell of node i.
func (q *Nested) agree(ctx context.Context, x, variances [][]float64) [][]float64 {
	cells, last := q.Tree.Cells(), q.Tree.Levels()-1
	c := children{cells: cells, nonnegative: q.Spec.Crosstabs.Nonnegative, integers: q.Spec.Crosstabs.RoundTo > 0,
		stopped: func() bool { return ctx.Err() != nil }}
	base := float64(max(q.Spec.Crosstabs.RoundTo, 1)) // multiples of it are integers in units of it
	x, variances = multiplied(x, 1/base), multiplied(variances, 1/(base*base))
	out := make([][]float64, last+1)
	known := q.known()
	take := func(level, from, to int) {
		var totals []float64
		if known[level] != nil {
			totals = known[level][from:to]
		}
		c.make(out[level][from*cells:to*cells], variances[level][from:to], totals)
	}
	out[0] = slices.Clone(x[0])
	c.whole, c.total = make([]float64, cells), 0
	variance := 0.0
	for i, v := range variances[0] {
		variance += v
		for j := range cells {
			c.whole[j] += x[0][i*cells+j]
			c.total += x[0][i*cells+j]
		}
	}
	if known[0] != nil {
		c.total = 0
		for _, total := range known[0] {
			c.total += total
		}
	}
	if c.nonnegative {
		c.total = max(c.total, 0)
	}
	if c.integers {
		c.total = math.Round(c.total)
	}
	c.whole = c.sums(c.whole, c.total, math.Sqrt(variance))
	take(0, 0, q.Tree.Size(0))
	for l := range last {
		out[l+1] = slices.Clone(x[l+1])
		for i := range q.Tree.Size(l) {
			if c.stopped() {
				return nil
			}
			c.whole, c.total = out[l][i*cells:(i+1)*cells], 0
			for _, y := range c.whole {
				c.total += y
			}
			from, to := q.Tree.Children(l, i)
			take(l+1, from, to)
		}
	}
	return multiplied(out, base)
}

// multiplied returns x, or tables of its numbers times a factor that is not 1.
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

// children makes the tables of the children of one group after the other.
type children struct {
	cells                 int
	nonnegative, integers bool
	// whole are the cells of the group, total is their sum.
	whole []float64
	total float64
	// stopped reports whether nobody waits for the tables any more: they are then left unfinished.
	stopped func() bool

	rows, columns, below []float64 // working memory
}

// sums returns numbers near x with the given total, integers and non-negative if requested. deviation is the standard
// deviation of one of them.
func (c *children) sums(x []float64, total, deviation float64) []float64 {
	is := 0.0
	for _, y := range x {
		is += y
	}
	out := slices.Clone(x)
	for i := range out {
		out[i] += (total - is) / float64(len(x))
	}
	if c.nonnegative && slices.Min(out) < 0 {
		if total <= 0 {
			clear(out)
			return out
		}
		out = withSum(out, total, fewBelow*deviation)
	}
	if c.integers {
		out = roundTo(total, out)
	}
	return out
}

// make replaces the table x of some children by a near one whose sums are the cells of the group and the totals of the
// children, which are public or, if they are nil, made here. variances are those of a cell of each child.
func (c *children) make(x, variances, totals []float64) {
	n := len(variances)
	if totals == nil {
		totals = make([]float64, n)
		variance := 0.0
		for i := range totals {
			variance += variances[i] * float64(c.cells) / float64(n)
			for _, y := range x[i*c.cells : (i+1)*c.cells] {
				totals[i] += y
			}
		}
		totals = c.sums(totals, c.total, math.Sqrt(variance))
	}
	if c.cells == 1 {
		copy(x, totals)
		return
	}
	if n == 1 {
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
	if c.integers {
		roundTable(x, totals, c.whole)
	}
}

// project replaces a table with these sums by the nearest one with them that has, but for a little, no negative cell:
// Dykstra's alternation.
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

// shift replaces a table by the nearest one with these sums over the cells of each child, and the cells of the group as
// sums over the children.
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

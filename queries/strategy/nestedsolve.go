package strategy

import (
	"math"
	"slices"
)

// The best division of the budget over nested levels
//
// Let p_l be the fraction of mu² that level l gets. The variance V of an estimate is a convex function of p, and is
// halved if all fractions double. So V is above its tangents,
//
//	V(x) ≥ V(p) + ∇V(p)·(x − p) = 2·V(p) + ∇V(p)·x,
//
// and each tangent gives a lower bound on the loss for any fractions x. The search ends when the best lower bound is
// near the least loss found.
//
// If the loss is a sum of variances, each round multiplies each fraction by the root of minus the slope of the loss, as
// for optimal designs (Yu, "Monotonic convergence of a general algorithm for computing optimal designs", Annals of
// Statistics 38, 2010).
//
// If the loss is the largest variance, each level contributes a tangent: the tangent of the level's worst node. The
// next fractions minimize the largest of all tangents so far (Kelley's cutting planes). They are the best mixed
// strategy of a matrix game, tangents against levels. After a few rounds, all levels that matter have the same
// variance.
//
// Every machine must find the same fractions. Slopes are differences, which enlarge rounding errors. So each product is
// converted to float64, which forbids compilers to fuse it with a sum.

const (
	minShare     = 1e-4 // the least fraction of mu² of a level: with 0, its noise would have an infinite variance
	nestedRounds = 100
	nestedWork   = 60_000_000 // limit of groups × evaluations of the loss: some seconds
	nestedGap    = 1e-3
	nestedStep   = 1e-4
)

// Solve returns each level's fraction of mu² in the design with the least loss. A unit changes one cell of each level
// by 1, and mu is 1, so a level with the fraction p has noise of variance 1/p. A tree with very many groups gets fewer
// rounds, and its fractions may not be the best; the errors that a release states are computed from the fractions it
// has.
func (n *Nested) Solve(loss Loss) []float64 {
	levels := n.Levels()
	free := 1 - float64(float64(levels)*minShare) // what remains after each level got minShare
	next := equalWeights(levels)
	best, least, bound := next, math.Inf(1), 0.0
	var tangents [][]float64 // tangents[i][l] is the value of tangent i if level l gets minShare and all of free
	for range n.rounds() {
		p := make([]float64, levels)
		for l, x := range next {
			p[l] = minShare + float64(free*x)
		}
		values, slopes := n.tangents(loss, p)
		if at := slices.Max(values); at < least {
			best, least = next, at
		}
		for i, value := range values {
			sum := 0.0
			for _, slope := range slopes[i] {
				sum += slope
			}
			tangent := make([]float64, levels)
			for l, slope := range slopes[i] {
				tangent[l] = float64(2*value) + float64(minShare*sum) + float64(free*slope)
			}
			tangents = append(tangents, tangent)
		}
		if loss == LossLargest {
			next, bound = solveGame(tangents)
		} else {
			next, bound = p, max(bound, slices.Min(tangents[len(tangents)-1]))
			for l, slope := range slopes[0] {
				next[l] *= math.Sqrt(max(-slope, 0))
			}
			normalize(next)
		}
		if least <= bound*(1+nestedGap) {
			break
		}
	}
	for l := range best {
		best[l] = minShare + float64(free*best[l])
	}
	return best
}

// rounds returns how many rounds Solve may take: fewer if the tree has many groups.
func (n *Nested) rounds() int {
	return min(nestedRounds, max(1, nestedWork/(n.alike().size()*(2*n.Levels()+1))))
}

// tangents returns the loss for the fractions p, and its slope in the fraction of each level. If the loss is the
// largest variance, values and slopes have one item for the worst group of each level.
func (n *Nested) tangents(loss Loss, p []float64) (values []float64, slopes [][]float64) {
	worst := make([]int, len(p)) // the group with the largest variance in each level
	at := func(p []float64, choose bool) []float64 {
		v := make([]float64, len(p))
		for l := range p {
			v[l] = 1 / p[l]
		}
		if loss != LossLargest {
			return []float64{n.Loss(loss, n.Errors(v))}
		}
		for l, of := range n.groupVariances(v) {
			if choose {
				worst[l] = slices.Index(of, slices.Max(of))
			}
			v[l] = of[worst[l]]
		}
		return v
	}
	values = at(p, true)
	slopes = make([][]float64, len(values))
	for l := range p {
		up, down := slices.Clone(p), slices.Clone(p)
		up[l], down[l] = p[l]*(1+nestedStep), p[l]*(1-nestedStep)
		above, below := at(up, false), at(down, false)
		for i := range values {
			slopes[i] = append(slopes[i], (above[i]-below[i])/(2*nestedStep*p[l]))
		}
	}
	return values, slopes
}

// solveGame solves a matrix game: it returns the mixed strategy over the columns of payoffs that makes the largest
// expected payoff of a row as small as possible, and this payoff. A constant is added to make all payoffs positive. The
// game is then the linear program that maximizes the sum of x for x ≥ 0 and payoffs·x ≤ 1. The simplex method solves it
// from x = 0.
func solveGame(payoffs [][]float64) (strategy []float64, value float64) {
	rows, columns := len(payoffs), len(payoffs[0])
	shift := 0.0
	for _, row := range payoffs {
		shift = max(shift, 1-slices.Min(row))
	}
	// columns for x, for the slacks, and for the right-hand side; the last row is the objective
	table := make([][]float64, rows+1)
	basis := make([]int, rows)
	for i := range table {
		table[i] = make([]float64, columns+rows+1)
		for j := range columns {
			if table[i][j] = 1; i < rows {
				table[i][j] = payoffs[i][j] + shift
			}
		}
		if i < rows {
			table[i][columns+i], table[i][columns+rows], basis[i] = 1, 1, columns+i
		}
	}
	const tiny = 1e-12
	for range 10 * (rows + columns) { // the simplex method needs fewer steps than this limit
		gains := table[rows][:columns+rows]
		enters := slices.Index(gains, slices.Max(gains))
		if gains[enters] <= tiny {
			break
		}
		leaves, least := -1, math.Inf(1)
		for i, row := range table[:rows] {
			if x := row[enters]; x > tiny && row[columns+rows]/x < least {
				leaves, least = i, row[columns+rows]/x
			}
		}
		if leaves < 0 {
			break
		}
		pivot := table[leaves][enters]
		for j := range table[leaves] {
			table[leaves][j] /= pivot
		}
		for i, row := range table {
			if factor := row[enters]; i != leaves && factor != 0 {
				for j, x := range table[leaves] {
					row[j] -= float64(factor * x)
				}
			}
		}
		basis[leaves] = enters
	}
	strategy = make([]float64, columns)
	sum := 0.0
	for i, j := range basis {
		if j < columns {
			strategy[j] = max(table[i][columns+rows], 0)
			sum += strategy[j]
		}
	}
	for j := range strategy {
		strategy[j] /= sum
	}
	return strategy, 1/sum - shift
}

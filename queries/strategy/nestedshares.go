package strategy

import (
	"math"
	"slices"
)

// Shares of nested levels
//
// The variance V of an estimate is a convex function of the shares p of mu² that the levels take, and halves if they
// double. It lies above its tangents,
//
//	V(x) ≥ V(p) + ∇V(p)·(x − p) = 2·V(p) + ∇V(p)·x,
//
// so that tangents are lower bounds on the loss of any shares x. Rounds end when the best bound is near the least loss
// found.
//
// For a sum of variances, a round multiplies each share by the root of minus the slope of the loss, as for optimal
// designs (Yu, "Monotonic convergence of a general algorithm for computing optimal designs", Annals of Statistics 38,
// 2010).
//
// The largest variance has a tangent for each level: the tangent of the level's worst node. The next shares minimize
// the largest of all tangents (Kelley's cutting planes): they are the best mixed strategy of a matrix game, tangents
// against levels. After a few rounds all levels that matter have the same variance.
//
// Slopes are differences, which enlarge the rounding of variances. All machines find the same shares, since a
// conversion of each product keeps compilers from fusing it with a sum.

const (
	leastShare   = 1e-4 // the least fraction of mu² for a level, which would otherwise have no noise of finite variance
	nestedRounds = 100
	nestedWork   = 60_000_000 // groups of nodes over all evaluations of the loss, some seconds
	nestedGap    = 1e-3
	nestedStep   = 1e-4
)

// Solve returns the share of mu² of each level for the least loss. Noise that takes the share p has the variance 1/p,
// if a unit changes one cell of each level by 1 and mu is 1. A tree of very many kinds of nodes gets fewer rounds: its
// shares may be worse than the best ones, and its error is stated for the shares taken.
func (n *Nested) Solve(loss Loss) []float64 {
	levels := n.Levels()
	free := 1 - float64(float64(levels)*leastShare) // what the levels share beyond the least
	next := even(levels)
	best, least, bound := next, math.Inf(1), 0.0
	var tangents [][]float64 // their values if one level has all that is free
	for range n.rounds() {
		p := make([]float64, levels)
		for l, x := range next {
			p[l] = leastShare + float64(free*x)
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
				tangent[l] = float64(2*value) + float64(leastShare*sum) + float64(free*slope)
			}
			tangents = append(tangents, tangent)
		}
		if loss == LossLargest {
			next, bound = game(tangents)
		} else {
			next, bound = p, max(bound, slices.Min(tangents[len(tangents)-1]))
			for l, slope := range slopes[0] {
				next[l] *= math.Sqrt(max(-slope, 0))
			}
			normalise(next)
		}
		if least <= bound*(1+nestedGap) {
			break
		}
	}
	for l := range best {
		best[l] = leastShare + float64(free*best[l])
	}
	return best
}

// rounds returns the largest number of rounds of Solve.
func (n *Nested) rounds() int {
	return min(nestedRounds, max(1, nestedWork/(n.alike().size()*(2*n.Levels()+1))))
}

// tangents returns the loss at shares p and its slopes by the share of each level. The slopes of the largest variance
// are the slopes of each level's worst group.
func (n *Nested) tangents(loss Loss, p []float64) (values []float64, slopes [][]float64) {
	worst := make([]int, len(p)) // the groups
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

// game returns the mixed strategy over the columns of payoffs for which the largest expected payoff of a row is least,
// and that payoff. With payoffs made positive by a constant, it is the linear program of the largest sum of x, with
// x ≥ 0 and no row of payoffs·x above 1, which the simplex method solves from x = 0.
func game(payoffs [][]float64) (strategy []float64, value float64) {
	rows, columns := len(payoffs), len(payoffs[0])
	shift := 0.0
	for _, row := range payoffs {
		shift = max(shift, 1-slices.Min(row))
	}
	table := make([][]float64, rows+1) // columns of x, of slacks, and of the right-hand side; the last row is the aim
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
	for range 10 * (rows + columns) { // far more than it takes
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

package strategy

import (
	"math"
	"slices"
)

// Cumulative counts by a tree
//
// Level l of the tree counts rows in nodes of w_l neighbouring cells each. Each level is a histogram with its own
// noise; the nodes of the last level, the leaves, are the cells. Two passes give estimates of all nodes that agree with
// each other (Hay, Rastogi, Miklau, Suciu, PVLDB 3(1), 2010, for equal noise). The upward pass averages each node's
// noisy count with the sum of its children, weighted by inverse variance. The downward pass distributes the difference
// to the parent's estimate among the children, in proportion to their variances.
//
// The variance of the sum of the first t cells is computed on the way up from cell t. For each node u on this way, let
// V be the variance of the estimate of u from its own subtree. Let a be the variance of the estimate of those cells of
// u that are among the first t, and c the covariance of both estimates:
//
//	from u to its parent:    add to a and to c the V of each earlier sibling of u,
//	the parent's own count:  a −= c²/(V' + 1/q),  c *= (1/q)/(V' + 1/q),
//
// with V' the sum of V over the children and q the precision (the inverse variance) of the noise in the parent's own
// count.

// tree has levels of nodes over n cells, from the coarsest level to the leaves. widths[l] is the number of cells of a
// node of level l, a multiple of the next width.
type tree struct {
	n      int
	widths []int
}

// newTree returns the tree over n cells. The root is one node for all cells, and each leaf is one cell. An inner node
// has branching children; the last node of a level may have fewer.
func newTree(n, branching int) *tree {
	t := &tree{n: n, widths: []int{1}}
	for w := 1; w < n; {
		w *= branching
		t.widths = append(t.widths, w)
	}
	slices.Reverse(t.widths)
	return t
}

func (t *tree) nodes(level int) int { return (t.n + t.widths[level] - 1) / t.widths[level] }

// measure returns the counts of the nodes of each level.
func (t *tree) measure(x []int64) [][]int64 {
	out := make([][]int64, len(t.widths))
	for l, w := range t.widths {
		out[l] = make([]int64, t.nodes(l))
		for i, c := range x {
			out[l][i/w] += c
		}
	}
	return out
}

// upwards holds the variances of the upward pass: own[l][i] is the variance of the estimate of node i of level l from
// its own subtree, and before[l][i] the sum of own over its earlier siblings.
type upwards struct{ own, before [][]float64 }

// upwardPass computes the variances of the upward pass. precisions[l] is the inverse variance of the noise of level l;
// it is positive for leaves.
func (t *tree) upwardPass(precisions []float64) upwards {
	leaf := len(t.widths) - 1
	u := upwards{make([][]float64, leaf+1), make([][]float64, leaf+1)}
	for l := leaf; l >= 0; l-- {
		u.own[l], u.before[l] = make([]float64, t.nodes(l)), make([]float64, t.nodes(l))
		if l == leaf {
			for i := range u.own[l] {
				u.own[l][i] = 1 / precisions[l]
			}
			continue
		}
		for i, v := range u.own[l+1] {
			parent := i * t.widths[l+1] / t.widths[l]
			u.before[l+1][i] = u.own[l][parent]
			u.own[l][parent] += v
		}
		for i, v := range u.own[l] {
			u.own[l][i] = 1 / (precisions[l] + 1/v)
		}
	}
	sum := 0.0
	for i, v := range u.own[0] { // these nodes have no parent
		u.before[0][i] = sum
		sum += v
	}
	return u
}

// spread returns a, the variance of the sum of the first i + 1 cells, and c, its covariance with the sum of all cells.
func (t *tree) spread(u upwards, precisions []float64, i int) (a, c float64) {
	leaf := len(t.widths) - 1
	a, c = u.own[leaf][i], u.own[leaf][i]
	for l := leaf; l > 0; l-- {
		before := u.before[l][i/t.widths[l]]
		a, c = a+before, c+before
		if q := precisions[l-1]; q > 0 {
			own := u.own[l-1][i/t.widths[l-1]] // 1/(q + 1/V')
			// V' + 1/q = V'/(q·own)
			children := 1 / (1/own - q)
			total := children + 1/q
			a, c = a-c*c/total, c/(q*total)
		}
	}
	before := u.before[0][i/t.widths[0]]
	return a + before, c + before
}

// leaves returns the variances of the final estimates of the leaves. If the parent's estimate were exact, a child would
// have the variance V − V²/W, with W the sum of V over the siblings. The variance F of the parent's estimate adds
// (V/W)²·F.
func (t *tree) leaves(u upwards) []float64 {
	final := u.own[0]
	for l := 1; l < len(t.widths); l++ {
		total := make([]float64, t.nodes(l-1))
		for i, v := range u.own[l] {
			total[i*t.widths[l]/t.widths[l-1]] += v
		}
		next := make([]float64, len(u.own[l]))
		for i, v := range u.own[l] {
			parent := i * t.widths[l] / t.widths[l-1]
			share := v / total[parent]
			next[i] = v - v*share + share*share*final[parent]
		}
		final = next
	}
	return final
}

// decode returns the estimates of the cumulative counts, given the noisy counts y of each level. precisions[l] is the
// inverse variance of the noise of level l.
func (t *tree) decode(y [][]float64, precisions []float64) []float64 {
	leaf, u := len(t.widths)-1, t.upwardPass(precisions)
	z := make([][]float64, leaf+1)
	z[leaf] = slices.Clone(y[leaf])
	below := make([][]float64, leaf+1) // sums of the children's estimates
	for l := leaf - 1; l >= 0; l-- {
		below[l] = make([]float64, t.nodes(l))
		for i, v := range z[l+1] {
			below[l][i*t.widths[l+1]/t.widths[l]] += v
		}
		z[l] = make([]float64, t.nodes(l))
		for i, v := range below[l] {
			share := precisions[l] * u.own[l][i] // the weight of the node's own count
			z[l][i] = share*y[l][i] + (1-share)*v
		}
	}
	for l := 0; l < leaf; l++ {
		total := make([]float64, t.nodes(l)) // the variances of the children's sums
		for i, v := range u.own[l+1] {
			total[i*t.widths[l+1]/t.widths[l]] += v
		}
		for i, v := range u.own[l+1] {
			parent := i * t.widths[l+1] / t.widths[l]
			z[l+1][i] += v / total[parent] * (z[l][parent] - below[l][parent])
		}
	}
	out, sum := z[leaf], 0.0
	for i, v := range out {
		sum += v
		out[i] = sum
	}
	return out
}

// meanVariance returns the mean variance of the cumulative counts at up to edges evenly spaced cells.
func (t *tree) meanVariance(precisions []float64, edges int) float64 {
	u, sum, n := t.upwardPass(precisions), 0.0, 0
	step := max(1, t.n/edges)
	for i := step - 1; i < t.n; i += step {
		a, _ := t.spread(u, precisions, i)
		sum += a
		n++
	}
	return sum / float64(n)
}

// weigh chooses the fractions of mu² for the levels that make the mean variance of the cumulative counts small, and
// returns them. It removes from t the levels that do not help. norm(w) is the squared norm of one unit's change in a
// level whose nodes have w cells.
func (t *tree) weigh(norm func(width int) float64) []float64 {
	const rounds, least = 16, 4e-3
	shares := slices.Repeat([]float64{1 / float64(len(t.widths))}, len(t.widths))
	for {
		for range rounds {
			t.improve(shares, norm)
		}
		kept := &tree{n: t.n}
		var left []float64
		for l, s := range shares {
			if s >= least || l == len(shares)-1 {
				kept.widths, left = append(kept.widths, t.widths[l]), append(left, s)
			}
		}
		if len(left) == len(shares) {
			return shares
		}
		*t, shares = *kept, left
		normalize(shares)
	}
}

// improve runs one round of the search for fractions: it multiplies each level's fraction by the square root of its
// marginal gain, and normalizes. At the optimum each fraction equals its gain.
func (t *tree) improve(shares []float64, norm func(width int) float64) {
	const edges, step = 1 << 9, 1e-4
	now := t.meanVariance(t.precisions(shares, norm), edges)
	next := slices.Clone(shares)
	for l := range shares {
		more := slices.Clone(shares)
		more[l] *= 1 + step
		gain := (now - t.meanVariance(t.precisions(more, norm), edges)) / (step * now)
		next[l] = math.Sqrt(shares[l] * max(gain, 1e-9))
	}
	copy(shares, next)
	normalize(shares)
}

// precisions returns the inverse variance of each level's noise at mu = 1. shares holds the levels' fractions of mu².
// norm is as in weigh.
func (t *tree) precisions(shares []float64, norm func(width int) float64) []float64 {
	out := make([]float64, len(shares))
	for l, s := range shares {
		out[l] = s / norm(t.widths[l])
	}
	return out
}

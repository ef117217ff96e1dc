package strategy

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// Nested levels
//
// A tree has levels of nodes, such as regions and municipalities. Each node of a level lies within one node of the
// level above, and a row is in one node of each level. Every node has the same cells, which come from the query's other
// dimensions. Noise is added to all cells of all nodes, with one variance for each level. The estimates are weighted
// least squares, under the condition that the children of a node add up to the node. For one cell of a node, let y be
// the noisy number and v the variance of its noise:
//
//	up:   S = sum of z over the children, s' = sum of their s,
//	      1/s = 1/v + 1/s',  z = s·(y/v + S/s'),                      z = y, s = v without children;
//	down: x = z, V = s at the top, and for a child k of the node p
//	      x_k = z_k + s_k/s'_p·(x_p − S_p),  V_k = s_k − (s_k/s'_p)²·(s'_p − V_p).
//
// z is the estimate from the node's own subtree and s its variance; x is the final estimate and V its exact variance.
// Two passes over the nodes suffice for any tree and any variances.
//
// A level can have public totals: for each node, the sum of its c cells is known. This improves only the totals of
// nodes, because differences between the cells of a node are independent of the sum of the node's noise. A cell then
// has the variance V·(1 − 1/c) + V°/c: V is the variance above, and V° the result of the same passes with v = 0 at
// levels with public totals.
//
// Sources: Hay, Rastogi, Miklau, Suciu, "Boosting the accuracy of differentially private histograms through
// consistency", VLDB 2010 (arXiv 0904.0942), for equal variances and numbers of children; Chou et al., "Multiscale
// autoregressive systems", IEEE Trans. Automatic Control 39, 1994, for the passes on any tree.

// Nested is a tree of levels, coarsest level first. Each node has the same number of cells.
type Nested struct {
	cells int
	// The children of node i of level l are the nodes first[l][i] to first[l][i+1]-1 of level l+1.
	first [][]int32
	sizes []int
	known []bool
	alike func() *alike // the groups of equal nodes (nestedgroups.go), which are found at the first call
}

// NewNested returns the strategy for a tree of levels. groups[l][i] is the node of level l that contains leaf i. Nodes
// are numbered from 0 in the order of the leaves: from leaf to leaf, the number stays or rises by 1. Each node of the
// last level is one leaf. cells is the number of cells of each node. known[l] is set if the totals of the nodes of
// level l are public. The error names a level whose nodes are not contained in nodes of the level above.
func NewNested(groups [][]int32, cells int, known []bool) (*Nested, error) {
	n := &Nested{cells: cells, known: slices.Clone(known)}
	n.alike = sync.OnceValue(n.findAlike)
	for l, of := range groups {
		size := int(of[len(of)-1]) + 1
		n.sizes = append(n.sizes, size)
		if l == 0 {
			continue
		}
		first := make([]int32, 1, n.sizes[l-1]+1)
		for i := 1; i < len(of); i++ {
			if groups[l-1][i] == groups[l-1][i-1] {
				continue
			}
			if of[i] == of[i-1] {
				return nil, fmt.Errorf("a group of level %d lies in two groups of level %d", l+1, l)
			}
			first = append(first, of[i])
		}
		n.first = append(n.first, append(first, int32(size)))
	}
	return n, nil
}

// Levels returns the number of levels.
func (n *Nested) Levels() int { return len(n.sizes) }

// Size returns the number of nodes of a level.
func (n *Nested) Size(level int) int { return n.sizes[level] }

// Cells returns the number of cells of each node.
func (n *Nested) Cells() int { return n.cells }

// Children returns the range of a node's children in the next level: from is the first child, to is one past the last.
func (n *Nested) Children(level, node int) (from, to int) {
	return int(n.first[level][node]), int(n.first[level][node+1])
}

// First returns, for each node of a level, its first child in the next level, and then the number of nodes of that
// level. The caller must not change it.
func (n *Nested) First(level int) []int32 { return n.first[level] }

// Known reports whether the totals of the nodes of a level are public.
func (n *Nested) Known(level int) bool { return n.known[level] }

// AnyKnown reports whether some level has public totals.
func (n *Nested) AnyKnown() bool { return slices.Contains(n.known, true) }

// Measure returns the counts of all cells of all nodes: item l holds level l, node by node. counts holds the cells of
// the leaves, and the cells of a node are the sums over its leaves.
func (n *Nested) Measure(counts []int64) [][]int64 {
	out := make([][]int64, n.Levels())
	out[n.Levels()-1] = counts
	for l := n.Levels() - 2; l >= 0; l-- {
		out[l] = make([]int64, n.sizes[l]*n.cells)
		for i := range n.sizes[l] {
			to := out[l][i*n.cells : (i+1)*n.cells]
			for k := n.first[l][i]; k < n.first[l][i+1]; k++ {
				for c, x := range out[l+1][int(k)*n.cells:][:n.cells] {
					to[c] += x
				}
			}
		}
	}
	return out
}

// passes holds the variances v, s and V of the two passes; see the formulas at the top of this file.
type passes struct {
	v       []float64   // v[l] is the variance of the noise of level l
	up      [][]float64 // s, by level and node
	beneath [][]float64 // s'
	all     [][]float64 // V
}

// passes computes the variances of the two passes. v[l] is the variance of the noise of level l. If known is set,
// levels with public totals count as free of noise.
func (n *Nested) passes(v []float64, known bool) *passes {
	last := n.Levels() - 1
	p := &passes{v: v, up: make([][]float64, last+1), beneath: make([][]float64, last), all: make([][]float64, last+1)}
	for l := last; l >= 0; l-- {
		p.up[l] = make([]float64, n.sizes[l])
		if l < last {
			p.beneath[l] = make([]float64, n.sizes[l])
		}
		for i := range p.up[l] {
			if l < last {
				from, to := n.Children(l, i)
				for _, s := range p.up[l+1][from:to] {
					p.beneath[l][i] += s
				}
			}
			switch {
			case known && n.known[l]:
			case l == last:
				p.up[l][i] = v[l]
			case p.beneath[l][i] > 0:
				p.up[l][i] = 1 / (1/v[l] + 1/p.beneath[l][i])
			}
		}
	}
	p.all[0] = slices.Clone(p.up[0])
	for l := range last {
		p.all[l+1] = make([]float64, n.sizes[l+1])
		for i, variance := range p.all[l] {
			from, to := n.Children(l, i)
			for k := from; k < to; k++ {
				p.all[l+1][k] = p.up[l+1][k]
				if s := p.beneath[l][i]; s > 0 {
					r := p.up[l+1][k] / s
					p.all[l+1][k] -= r * r * (s - variance)
				}
			}
		}
	}
	return p
}

// estimate runs the two passes on y: noisy numbers become estimates. y[l] holds the cells of each node of level l.
func (n *Nested) estimate(p *passes, y [][]float64, cells int) {
	last := n.Levels() - 1
	sums := make([][]float64, last)
	for l := last - 1; l >= 0; l-- {
		sums[l] = make([]float64, len(y[l]))
		for i := range n.sizes[l] {
			sum := sums[l][i*cells : (i+1)*cells]
			from, to := n.Children(l, i)
			for k := from; k < to; k++ {
				for c, x := range y[l+1][k*cells:][:cells] {
					sum[c] += x
				}
			}
			own, s := y[l][i*cells:(i+1)*cells], p.up[l][i]
			switch {
			case p.beneath[l][i] == 0:
				copy(own, sum)
			case s > 0: // if s is 0, the number is exact and does not change
				a := s / p.beneath[l][i]
				for c := range own {
					own[c] += a * (sum[c] - own[c])
				}
			}
		}
	}
	for l := range last {
		for i := range n.sizes[l] {
			s := p.beneath[l][i]
			if s == 0 {
				continue
			}
			from, to := n.Children(l, i)
			for k := from; k < to; k++ {
				r, child := p.up[l+1][k]/s, y[l+1][k*cells:][:cells]
				for c := range child {
					child[c] += r * (y[l][i*cells+c] - sums[l][i*cells+c])
				}
			}
		}
	}
}

// Estimate replaces the noisy cells y by their least-squares estimates. y[l] holds the cells of each node of level l,
// and variances[l] is the variance of their noise. known[l] holds the public totals of the nodes of level l, or is nil.
func (n *Nested) Estimate(y [][]float64, variances []float64, known [][]float64) {
	if !n.AnyKnown() {
		n.estimate(n.passes(variances, false), y, n.cells)
		return
	}
	totals := make([][]float64, n.Levels())
	for l := range y {
		totals[l] = make([]float64, n.sizes[l])
		for i := range totals[l] {
			for _, x := range y[l][i*n.cells:][:n.cells] {
				totals[l][i] += x
			}
		}
		if n.known[l] {
			copy(totals[l], known[l])
		}
	}
	n.estimate(n.passes(variances, true), totals, 1)
	n.estimate(n.passes(variances, false), y, n.cells)
	for l := range y {
		for i, total := range totals[l] {
			cells, sum := y[l][i*n.cells:][:n.cells], 0.0
			for _, x := range cells {
				sum += x
			}
			for c := range cells {
				cells[c] += (total - sum) / float64(n.cells)
			}
		}
	}
}

// Variances returns the variance of the estimate of a cell: item [l][i] is for node i of level l. variances[l] is the
// variance of the noise of level l.
func (n *Nested) Variances(variances []float64) [][]float64 {
	out := n.passes(variances, false).all
	if n.AnyKnown() {
		share := 1 / float64(n.cells)
		for l, of := range n.passes(variances, true).all {
			for i, v := range of {
				out[l][i] += share * (v - out[l][i])
			}
		}
	}
	return out
}

// NestedErrors holds the mean and the largest variance of the estimated cells of a level.
type NestedErrors struct{ Mean, Largest float64 }

func errorsOf(variances [][]float64) []NestedErrors {
	var out []NestedErrors
	for _, of := range variances {
		e := NestedErrors{}
		for _, v := range of {
			e.Mean, e.Largest = e.Mean+v, max(e.Largest, v)
		}
		e.Mean /= float64(len(of))
		out = append(out, e)
	}
	return out
}

// Loss returns the loss, given the variances of each level's cells. Depending on loss, it is the mean of the levels'
// mean variances, the mean variance of all cells of all levels, or the largest variance of a cell.
func (n *Nested) Loss(loss Loss, levels []NestedErrors) float64 {
	sum, total, largest := 0.0, 0.0, 0.0
	for l, e := range levels {
		w := 1.0
		if loss == LossCells {
			w = float64(n.sizes[l])
		}
		sum, total, largest = sum+float64(w*e.Mean), total+w, max(largest, e.Largest)
	}
	if loss == LossLargest {
		return largest
	}
	return sum / total
}

// Compare returns the errors (square roots of the loss) of three other designs, for a tree without public totals, at mu
// = 1. One unit changes one cell of each level by 1. The designs are:
//   - leaves: noise in the leaves alone, and the other levels are sums of leaves;
//   - equal: each level is published by itself, and all levels have equal noise;
//   - alone: each level is published by itself, with the noise that is best for the loss.
func (n *Nested) Compare(loss Loss) (leaves, equal, alone float64) {
	levels := n.Levels()
	all := make([]NestedErrors, levels)
	sizes := slices.Repeat([]float64{1}, n.sizes[levels-1])
	for l := levels - 1; l >= 0; l-- {
		all[l] = errorsOf([][]float64{sizes})[0]
		if l > 0 {
			above := make([]float64, n.sizes[l-1])
			for i := range above {
				from, to := n.Children(l-1, i)
				for _, s := range sizes[from:to] {
					above[i] += s
				}
			}
			sizes = above
		}
	}
	leaves = n.Loss(loss, all)
	weights, total := make([]float64, levels), 0.0
	for l := range all {
		weights[l] = 1
		if loss == LossCells {
			weights[l] = math.Sqrt(float64(n.sizes[l]))
		}
		total += weights[l]
	}
	for l := range all {
		all[l] = NestedErrors{float64(levels), float64(levels)}
	}
	equal = n.Loss(loss, all)
	for l := range all {
		v := total / weights[l]
		all[l] = NestedErrors{v, v}
	}
	return math.Sqrt(leaves), math.Sqrt(equal), math.Sqrt(n.Loss(loss, all))
}

// Coefficients converts a weighted sum of the estimated cells of one level to a weighted sum of noisy cells: it returns
// the weight of each noisy cell of each level. The variance of the sum is the sum of squared weights times noise
// variances. The weights follow from the transposes of the two passes.
func (n *Nested) Coefficients(level int, weights, variances []float64) [][]float64 {
	if !n.AnyKnown() {
		return n.transposed(n.passes(variances, false), level, weights, n.cells)
	}
	// Divide the weights of a node's cells into their mean, which is the weight of the node's total, and the
	// differences from the mean.
	means, differences := make([]float64, n.sizes[level]), slices.Clone(weights)
	for i := range means {
		for _, w := range weights[i*n.cells:][:n.cells] {
			means[i] += w / float64(n.cells)
		}
		for c := range n.cells {
			differences[i*n.cells+c] -= means[i]
		}
	}
	out := n.transposed(n.passes(variances, false), level, differences, n.cells)
	for l, weights := range n.transposed(n.passes(variances, true), level, means, 1) {
		if n.known[l] {
			continue
		}
		for i, w := range weights {
			for c := range n.cells {
				out[l][i*n.cells+c] += w
			}
		}
	}
	return out
}

// transposed applies the transposes of the two passes to the weights of the nodes of a level.
func (n *Nested) transposed(p *passes, level int, weights []float64, cells int) [][]float64 {
	last := n.Levels() - 1
	z, x, sums := make([][]float64, last+1), make([][]float64, last+1), make([][]float64, last)
	for l := range z {
		z[l], x[l] = make([]float64, n.sizes[l]*cells), make([]float64, n.sizes[l]*cells)
		if l < last {
			sums[l] = make([]float64, n.sizes[l]*cells)
		}
	}
	copy(x[level], weights)
	for l := level; l > 0; l-- { // the transposed pass down: from children to their parents
		for i := range n.sizes[l-1] {
			from, to := n.Children(l-1, i)
			s := p.beneath[l-1][i]
			for k := from; k < to; k++ {
				for c := range cells {
					w := x[l][k*cells+c]
					z[l][k*cells+c] += w
					if s > 0 {
						x[l-1][i*cells+c] += p.up[l][k] / s * w
						sums[l-1][i*cells+c] -= p.up[l][k] / s * w
					}
				}
			}
		}
	}
	for i, w := range x[0] {
		z[0][i] += w
	}
	for l := range last { // the transposed pass up: from nodes to their children
		for i := range n.sizes[l] {
			a := 1.0
			if s := p.beneath[l][i]; s > 0 {
				a = p.up[l][i] / s
			}
			from, to := n.Children(l, i)
			for c := range cells {
				at := i*cells + c
				w := sums[l][at] + a*z[l][at]
				z[l][at] *= 1 - a
				for k := from; k < to; k++ {
					z[l+1][k*cells+c] += w
				}
			}
		}
	}
	return z
}

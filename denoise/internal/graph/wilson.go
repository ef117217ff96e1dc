package graph

import (
	"context"
	"math"
	"slices"
)

// walker draws a random spanning tree of each component of a graph. The probability of a tree is proportional to the
// product of its edges' conductances. With equal conductances the tree is uniform. A walker is immutable and serves all
// draws on one graph.
//
// The probability that an edge is in the tree is its conductance times its effective resistance. The method is Wilson's
// loop-erased random walk ("Generating random spanning trees more quickly than the cover time", STOC 1996). The
// expected number of steps is the mean hitting time, near n·log n on planar networks. On a long and thin graph, or with
// very unequal conductances, the walk may need more than 200·n + 10⁷ steps. After this number, the tree is completed as
// the minimum spanning tree of exponential edge times, whose distribution is slightly different.
type walker struct {
	g           *Graph
	conductance []float64
	// sum[a] is the sum of the conductances of the arcs of a node, from its first arc to arc a. It is nil if all
	// conductances are equal.
	sum  []float64
	root []int32 // by component, its lowest node
}

func newWalker(g *Graph, conductance []float64) *walker {
	w := &walker{g: g, conductance: conductance}
	label, count := g.Components()
	w.root = make([]int32, 0, count)
	for i, c := range label {
		if c == len(w.root) {
			w.root = append(w.root, int32(i))
		}
	}
	if len(conductance) == 0 || slices.Min(conductance) == slices.Max(conductance) {
		return w
	}
	w.sum = make([]float64, len(g.to))
	for i := range int32(g.Nodes()) {
		var s float64
		for a, end := g.arcs(i); a < end; a++ {
			s += conductance[g.edge[a]]
			w.sum[a] = s
		}
	}
	return w
}

// arc draws an arc of node i with probability proportional to its conductance.
func (w *walker) arc(i int32, random *public) int32 {
	first, end := w.g.arcs(i)
	if w.sum == nil {
		return first + random.drawBelow(end-first)
	}
	target := random.unit() * w.sum[end-1]
	for low := first; ; {
		if end-low <= 4 {
			for low < end-1 && w.sum[low] <= target {
				low++
			}
			return low
		}
		if middle := (low + end) / 2; w.sum[middle-1] <= target {
			low = middle
		} else {
			end = middle
		}
	}
}

// draw returns a random spanning forest.
func (w *walker) draw(ctx context.Context, random *public) (*Forest, error) {
	n := w.g.Nodes()
	in := make([]bool, w.g.Edges())
	done := make([]bool, n)
	for _, r := range w.root {
		done[r] = true
	}
	last := make([]int32,
		n) // last[i] is the arc by which the walk last left node i; overwriting it erases the walk's loops
	steps := 200*n + 1e7
	for i := range int32(n) {
		at := i
		for ; !done[at]; steps-- {
			if steps&0xfffff == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if steps <= 0 {
					w.finish(in, random)
					return w.g.root(in), nil
				}
			}
			last[at] = w.arc(at, random)
			at = w.g.to[last[at]]
		}
		for at = i; !done[at]; at = w.g.to[last[at]] {
			done[at] = true
			in[w.g.edge[last[at]]] = true
		}
	}
	return w.g.root(in), nil
}

// finish adds edges to in until they span the graph. It draws an exponential time for each edge, with the conductance
// as the rate, and takes edges in the order of these times.
func (w *walker) finish(in []bool, random *public) {
	sets := newSets(w.g.Nodes())
	var rest []int32
	time := make([]float64, len(in))
	for e := range in {
		time[e] = -math.Log1p(-random.unit()) / w.conductance[e]
		if in[e] {
			sets.join(w.g.u[e], w.g.v[e])
		} else {
			rest = append(rest, int32(e))
		}
	}
	slices.SortFunc(rest, func(a, b int32) int {
		switch {
		case time[a] < time[b] || (time[a] == time[b] && a < b):
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	for _, e := range rest {
		in[e] = sets.join(w.g.u[e], w.g.v[e])
	}
}

package graph

import (
	"fmt"
	"math"
)

// New returns the graph of n nodes with the given edges. Loops are dropped. Parallel edges become one, with the sum of
// their weights and their shortest known length. Nodes without edges and several components are allowed. Errors: a
// [*SizeError]; an [*EdgeError] for the first edge with an end outside of 0 … n−1, a weight that is not positive or a
// length that is negative.
func New(n int, edges []Edge) (*Graph, error) {
	if n < 0 || n > MaxNodes {
		return nil, &SizeError{"nodes", n, MaxNodes}
	}
	if len(edges) > MaxNodes {
		return nil, &SizeError{"edges", len(edges), MaxNodes}
	}
	for i, e := range edges {
		if reason := flaw(n, e); reason != "" {
			return nil, &EdgeError{i, reason}
		}
	}
	g := &Graph{}
	order := sorted(n, edges)
	g.reserve(len(order))
	for _, i := range order {
		if !g.addEdge(edges[i]) {
			return nil, &EdgeError{int(i), "the weights of parallel edges add up to more than 1e+100"}
		}
	}
	g.index(n)
	return g, nil
}

// The range of weights. The square of such a weight, and sums of weights, are normal floating-point numbers.
const minWeight, maxWeight = 1e-100, 1e100

func flaw(n int, e Edge) string {
	switch {
	case e.U < 0 || e.U >= n || e.V < 0 || e.V >= n:
		return fmt.Sprintf("it joins %d and %d, but nodes are numbered 0 to %d", e.U, e.V, n-1)
	case !(e.W >= minWeight && e.W <= maxWeight):
		return fmt.Sprintf("its weight is %v, not a number from 1e-100 to 1e+100", e.W)
	case !(e.Length >= 0) || math.IsInf(e.Length, 1):
		return fmt.Sprintf("its length is %v, not a finite number of at least 0", e.Length)
	}
	return ""
}

// sorted returns the indices of the edges that are not loops, sorted by lower end and then by higher end. It uses two
// passes of counting sort, which is stable.
func sorted(n int, edges []Edge) []int32 {
	order := make([]int32, 0, len(edges))
	for i, e := range edges {
		if e.U != e.V {
			order = append(order, int32(i))
		}
	}
	order = countingSort(n, order, func(i int32) int { return max(edges[i].U, edges[i].V) })
	return countingSort(n, order, func(i int32) int { return min(edges[i].U, edges[i].V) })
}

func countingSort(n int, items []int32, key func(int32) int) []int32 {
	start := make([]int32, n+1)
	for _, i := range items {
		start[key(i)+1]++
	}
	for k := range n {
		start[k+1] += start[k]
	}
	out := make([]int32, len(items))
	for _, i := range items {
		out[start[key(i)]] = i
		start[key(i)]++
	}
	return out
}

func (g *Graph) reserve(m int) {
	g.u, g.v = make([]int32, 0, m), make([]int32, 0, m)
	g.weight, g.square, g.length = make([]float64, 0, m), make([]float64, 0, m), make([]float64, 0, m)
}

// addEdge appends an edge, or adds it to the last one if the two are parallel. It returns false if the weight becomes
// too large.
func (g *Graph) addEdge(e Edge) bool {
	a, b := int32(min(e.U, e.V)), int32(max(e.U, e.V))
	k := len(g.u) - 1
	if k < 0 || g.u[k] != a || g.v[k] != b {
		g.u, g.v = append(g.u, a), append(g.v, b)
		g.weight = append(g.weight, e.W)
		g.square = append(g.square, float64(e.W*e.W))
		g.length = append(g.length, e.Length)
		return true
	}
	g.weight[k] += e.W
	g.square[k] += float64(e.W * e.W)
	if g.length[k] == 0 || (e.Length > 0 && e.Length < g.length[k]) {
		g.length[k] = e.Length
	}
	return g.weight[k] <= maxWeight
}

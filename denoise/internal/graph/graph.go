package graph

import "fmt"

// MaxNodes is the largest number of nodes of a graph, and also the largest number of edges.
const MaxNodes = 1<<30 - 1

// Edge is an undirected edge between two nodes, numbered from 0.
type Edge struct {
	U, V int
	// W > 0 is the weight: a difference across the edge costs W times as much as one of weight 1.
	W float64
	// Length is the public distance between the nodes in any unit, or 0 if it is unknown.
	Length float64
}

// EdgeError means that an edge in the list given to [New] is wrong.
type EdgeError struct {
	// Index is the edge's index in the list, from 0.
	Index  int
	Reason string
}

func (e *EdgeError) Error() string { return fmt.Sprintf("edge %d: %s", e.Index, e.Reason) }

// Graph is an undirected weighted graph without loops and parallel edges. It is immutable.
type Graph struct {
	// u[e] < v[e] are the ends of edge e. Edges are sorted by u, then by v.
	u, v []int32
	// Parallel edges are one edge e: weight[e] is the sum of their weights, square[e] the sum of their squared weights,
	// and length[e] their shortest known length, or 0.
	weight, square, length []float64
	// An arc is an edge as seen from one of its ends. The arcs of node i have the indices start[i] to start[i+1]−1. to[a]
	// is the other end of arc a, and edge[a] its edge.
	start, to, edge []int32
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return len(g.start) - 1 }

// Edges returns the number of edges. Parallel edges count once, and loops do not count.
func (g *Graph) Edges() int { return len(g.u) }

// Edge returns edge e, 0 ≤ e < Edges(), with U < V. Edges are sorted by U, then by V. W is the sum of the parallel
// edges' weights, and Length the shortest of their known lengths, or 0.
func (g *Graph) Edge(e int) Edge {
	return Edge{int(g.u[e]), int(g.v[e]), g.weight[e], g.length[e]}
}

// arcs returns the range of the indices of node i's arcs: from is the first, to one past the last.
func (g *Graph) arcs(i int32) (from, to int32) { return g.start[i], g.start[i+1] }

func (g *Graph) degree(i int32) int { return int(g.start[i+1] - g.start[i]) }

// index computes start, to and edge from u and v.
func (g *Graph) index(n int) {
	g.start = make([]int32, n+1)
	for e := range g.u {
		g.start[g.u[e]+1]++
		g.start[g.v[e]+1]++
	}
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	g.to, g.edge = make([]int32, 2*len(g.u)), make([]int32, 2*len(g.u))
	next := make([]int32, n)
	copy(next, g.start)
	for e := range g.u {
		a, b := g.u[e], g.v[e]
		g.to[next[a]], g.edge[next[a]] = b, int32(e)
		g.to[next[b]], g.edge[next[b]] = a, int32(e)
		next[a]++
		next[b]++
	}
}

// Components returns the component of each node, label[i] for node i, and the number of components. Components are
// numbered in the order of their lowest nodes.
func (g *Graph) Components() (label []int, count int) {
	label = make([]int, g.Nodes())
	for i := range label {
		label[i] = -1
	}
	var queue []int32
	for i := range label {
		if label[i] >= 0 {
			continue
		}
		label[i] = count
		queue = append(queue[:0], int32(i))
		for len(queue) > 0 {
			j := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for a, end := g.arcs(j); a < end; a++ {
				if k := g.to[a]; label[k] < 0 {
					label[k] = count
					queue = append(queue, k)
				}
			}
		}
		count++
	}
	return label, count
}

// SizeError means that the number of nodes, edges or values is wrong.
type SizeError struct {
	What string
	Got  int
	// Want is the right number, or the largest allowed one.
	Want int
}

func (e *SizeError) Error() string { return fmt.Sprintf("%s: %d, not %d", e.What, e.Got, e.Want) }

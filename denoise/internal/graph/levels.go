package graph

import (
	"context"
	"math"
)

// levelSets minimises ½‖y−x‖² + Σ λ_e·|x_u − x_v| exactly on any graph, by divide and conquer. A block is a connected
// set of nodes whose order among each other is not yet known. A minimum cut separates the nodes whose solution is above
// the block's mean from the others. This settles which end of each cut edge is larger, so its term becomes linear. Each
// connected piece becomes a new block. If no cut lowers the cost, the solution is constant on the block.
//
// Values and penalties are rounded to multiples of a power of two, chosen so that the largest sum at a node is 2^60.
// All later arithmetic is on integers, so groups of equal values are found without a tolerance.
//
// Sources: Hochbaum (Journal of the ACM 48, 2001); Chambolle & Darbon (International Journal of Computer Vision 84,
// 2009); Xin, Kawahara, Wang & Gao (AAAI 2014).
type levelSets struct {
	*flow
	unit float64
	// settled[e] is 1 if the solution is larger at the lower-numbered end of edge e than at the other end, -1 if it is
	// smaller, and 0 while both ends are in one block.
	settled []int8
	// nodes holds the nodes of each block, and later of each group of equal values, as one range. group[i] is the number
	// of node i's group.
	nodes, group, queue []int32
	groups              int
	seen                []bool
}

func newLevelSets(g *Graph) *levelSets {
	n := g.Nodes()
	return &levelSets{
		flow: newFlow(g), settled: make([]int8, g.Edges()), nodes: make([]int32, n), group: make([]int32, n),
		queue: make([]int32, 0, n), seen: make([]bool, n),
	}
}

// block is a connected set of nodes: levelSets.nodes[low:high].
type block struct{ low, high int32 }

// solve finds the groups of equal values. lambda[e] is the penalty of edge e.
func (s *levelSets) solve(ctx context.Context, y, lambda []float64) error {
	s.load(y, lambda)
	for i := range s.nodes {
		s.nodes[i] = int32(i)
		s.group[i] = -1
	}
	s.groups = 0
	todo := s.pieces(nil, block{0, int32(len(s.nodes))})
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if middle := s.cut(ctx, b); middle > b.low && middle < b.high {
			todo = s.pieces(todo, block{b.low, middle})
			todo = s.pieces(todo, block{middle, b.high})
			continue
		}
		for _, i := range s.nodes[b.low:b.high] {
			s.group[i] = int32(s.groups)
		}
		s.groups++
	}
	return ctx.Err()
}

// load converts values and penalties to integers. A penalty above twice the range of the values has no further effect,
// so it is reduced to this number.
func (s *levelSets) load(y, lambda []float64) {
	middle, spread := 0.0, 0.0
	for _, v := range y {
		middle += v / float64(len(y))
	}
	for _, v := range y {
		spread += math.Abs(v - middle)
	}
	largest := 0.0
	for i := range y {
		sum := math.Abs(y[i])
		for a, end := s.g.arcs(int32(i)); a < end; a++ {
			sum += min(lambda[s.g.edge[a]], 2*spread)
		}
		largest = max(largest, sum)
	}
	_, exponent := math.Frexp(largest)
	s.unit = math.Ldexp(1, exponent-60)
	for i, v := range y {
		s.surplus[i] = int64(math.Round(v / s.unit))
	}
	for a, e := range s.g.edge {
		s.rest[a] = int64(math.Round(min(lambda[e], 2*spread) / s.unit))
	}
	clear(s.settled)
}

// cut sends surplus from the nodes above the block's mean to the nodes below it. Two kinds of nodes are then above the
// cut: nodes that still have a surplus, and nodes that a surplus can still reach. cut moves these to the front of the
// block, and returns the start of the others.
func (s *levelSets) cut(ctx context.Context, b block) (middle int32) {
	nodes := s.nodes[b.low:b.high]
	if len(nodes) == 1 {
		return b.low
	}
	level := s.mean(nodes)
	for _, i := range nodes {
		s.surplus[i] -= level
	}
	s.maximise(nodes, func() bool { return ctx.Err() != nil })
	middle = b.low
	for k, i := range nodes {
		s.surplus[i] += level
		if s.side[i] == source {
			s.nodes[b.low+int32(k)], s.nodes[middle] = s.nodes[middle], i
			middle++
		}
	}
	if middle < b.high {
		s.closeEdges(s.nodes[b.low:middle])
	}
	return middle
}

// mean returns the rounded mean of the surplus. A cut at any value near the mean gives the same solution.
func (s *levelSets) mean(nodes []int32) int64 {
	n := int64(len(nodes))
	var whole, part int64
	for _, i := range nodes {
		whole += s.surplus[i] / n
		part += s.surplus[i] % n
	}
	return whole + part/n
}

// closeEdges records the order of the two ends of each edge that leads out of upper, the nodes above the cut, and
// closes the edge.
func (s *levelSets) closeEdges(upper []int32) {
	for _, i := range upper {
		for a, end := s.g.arcs(i); a < end; a++ {
			if s.closed(a) || s.side[s.g.to[a]] == source {
				continue
			}
			s.rest[a], s.rest[s.back[a]] = 0, 0
			s.settled[s.g.edge[a]] = 1
			if s.g.to[a] < i {
				s.settled[s.g.edge[a]] = -1
			}
		}
	}
}

// pieces sorts a block's nodes by connected piece, and appends a block for each piece to todo, the blocks that are not
// solved yet.
func (s *levelSets) pieces(todo []block, b block) []block {
	nodes := s.nodes[b.low:b.high]
	s.queue = s.queue[:0]
	for _, i := range nodes {
		s.seen[i] = false
	}
	for _, i := range nodes {
		if s.seen[i] {
			continue
		}
		first := len(s.queue)
		s.seen[i] = true
		s.queue = append(s.queue, i)
		for k := first; k < len(s.queue); k++ {
			s.spread(s.queue[k])
		}
		todo = append(todo, block{b.low + int32(first), b.low + int32(len(s.queue))})
	}
	copy(nodes, s.queue)
	return todo
}

func (s *levelSets) spread(i int32) {
	for a, end := s.g.arcs(i); a < end; a++ {
		if j := s.g.to[a]; !s.closed(a) && !s.seen[j] {
			s.seen[j] = true
			s.queue = append(s.queue, j)
		}
	}
}

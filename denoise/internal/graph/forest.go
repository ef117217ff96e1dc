package graph

// Forest is a spanning forest of a graph: one rooted tree for each component. A position is a number of a node in
// depth-first preorder, so a subtree is a range of positions.
type Forest struct {
	// node[p] is the node at position p. parent[p] is the position of its parent, or -1 for a root. edge[p] is the edge to
	// its parent.
	node, parent, edge []int32
}

// Nodes returns the number of nodes.
func (f *Forest) Nodes() int { return len(f.node) }

// root returns the forest that consists of the edges e with in[e]. They must not contain a cycle.
func (g *Graph) root(in []bool) *Forest {
	n := g.Nodes()
	f := &Forest{make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)}
	seen := make([]bool, n)
	type visit struct{ node, parent, edge int32 }
	var stack []visit
	for i := range n {
		if seen[i] {
			continue
		}
		seen[i] = true
		stack = append(stack, visit{int32(i), -1, -1})
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			at := int32(len(f.node))
			f.node, f.parent, f.edge = append(f.node, top.node), append(f.parent, top.parent), append(f.edge, top.edge)
			for a, end := g.arcs(top.node); a < end; a++ {
				if to, e := g.to[a], g.edge[a]; in[e] && !seen[to] {
					seen[to] = true
					stack = append(stack, visit{to, at, e})
				}
			}
		}
	}
	return f
}

// sets are disjoint sets of nodes (union–find; Tarjan), with path halving and union by size.
type sets struct{ up []int32 } // up[i] is the parent of node i, or minus the size of the set if i is its root

func newSets(n int) *sets {
	s := &sets{make([]int32, n)}
	for i := range s.up {
		s.up[i] = -1
	}
	return s
}

func (s *sets) find(i int32) int32 {
	for s.up[i] >= 0 {
		if next := s.up[s.up[i]]; next >= 0 {
			s.up[i] = next
		}
		i = s.up[i]
	}
	return i
}

// join unites the sets of i and j. It returns false if i and j were in the same set.
func (s *sets) join(i, j int32) bool {
	i, j = s.find(i), s.find(j)
	if i == j {
		return false
	}
	if s.up[i] > s.up[j] {
		i, j = j, i
	}
	s.up[i] += s.up[j]
	s.up[j] = i
	return true
}

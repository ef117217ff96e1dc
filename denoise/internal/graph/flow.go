package graph

import "math"

// flow is a maximum flow problem on a subgraph. Every node has an excess: a surplus if it is positive, a deficit if it
// is negative. The surplus may flow along edges, up to their capacities. All amounts are integers, so nothing is
// rounded.
//
// The method is from Boykov & Kolmogorov ("An experimental comparison of min-cut/max-flow algorithms for energy
// minimization in vision", IEEE PAMI 26, 2004). One search tree grows from the nodes with a surplus, and one from the
// nodes with a deficit. When they meet, as much as possible is sent along the path that connects them. Nodes that lose
// the connection to the root of their tree look for a new parent in the tree.
type flow struct {
	g *Graph
	// back[a] is the arc opposite to arc a. rest[a] is the remaining capacity of arc a.
	back []int32
	rest []int64
	// surplus[i] is the excess of node i. It is negative if the node has a deficit.
	surplus []int64
	searchTrees
}

// searchTrees holds the two search trees: source contains nodes that a surplus can reach, and sink nodes that can reach
// a deficit.
type searchTrees struct {
	side []int8  // the tree of each node: source, sink or neither
	up   []int32 // the arc from each node to its parent in the tree, or isRoot or noParent
	// distance[i] is 1 plus the number of edges from node i to its root, as computed at time stamp[i].
	distance, stamp []int32
	time            int32
	active          ring
	orphans         []int32
}

const (
	free     = int8(0)
	source   = int8(1)
	sink     = int8(-1)
	isRoot   = int32(-1) // value of up: the node itself has a surplus or a deficit
	noParent = int32(-2) // value of up: the node has no parent
)

func newFlow(g *Graph) *flow {
	n := g.Nodes()
	f := &flow{g: g, back: make([]int32, len(g.to)), rest: make([]int64, len(g.to)), surplus: make([]int64, n)}
	f.side, f.up = make([]int8, n), make([]int32, n)
	f.distance, f.stamp = make([]int32, n), make([]int32, n)
	f.active.queued = make([]bool, n)
	first := make([]int32, g.Edges())
	for e := range first {
		first[e] = -1
	}
	for a, e := range g.edge {
		if first[e] < 0 {
			first[e] = int32(a)
		} else {
			f.back[a], f.back[first[e]] = first[e], int32(a)
		}
	}
	return f
}

// ring is a queue of nodes that contains each node at most once.
type ring struct {
	nodes      []int32
	head, size int
	queued     []bool
}

// reset empties the queue and allocates memory for n nodes.
func (r *ring) reset(n int) {
	if cap(r.nodes) < n {
		r.nodes = make([]int32, n)
	}
	r.nodes, r.head, r.size = r.nodes[:n], 0, 0
}

func (r *ring) push(i int32) {
	if r.queued[i] {
		return
	}
	r.queued[i] = true
	at := r.head + r.size
	if at >= len(r.nodes) {
		at -= len(r.nodes)
	}
	r.nodes[at] = i
	r.size++
}

func (r *ring) pop() int32 {
	i := r.nodes[r.head]
	r.head++
	if r.head == len(r.nodes) {
		r.head = 0
	}
	r.size--
	r.queued[i] = false
	return i
}

// maximise sends as much flow as possible between the given nodes. Afterwards side is source for the nodes that a
// surplus can still reach. It calls stop from time to time, and ends early if stop returns true.
func (f *flow) maximise(nodes []int32, stop func() bool) {
	f.begin(nodes)
	for round := 0; f.active.size > 0; {
		if round++; round&0xfff == 0 && stop() {
			for f.active.size > 0 {
				f.active.pop()
			}
			return
		}
		i := f.active.pop()
		for f.side[i] != free {
			bridge := f.grow(i)
			if bridge < 0 {
				break
			}
			f.augment(bridge)
			f.adopt()
		}
	}
}

func (f *flow) begin(nodes []int32) {
	f.active.reset(len(nodes))
	f.time = 0
	for _, i := range nodes {
		f.stamp[i], f.distance[i] = 0, 1
		f.side[i], f.up[i] = free, noParent
		if s := f.surplus[i]; s != 0 {
			f.up[i] = isRoot
			f.side[i] = source
			if s < 0 {
				f.side[i] = sink
			}
			f.active.push(i)
		}
	}
}

// open returns the remaining capacity of arc a in the direction in which the tree grows: along the arc in the source's
// tree, and against it in the sink's tree.
func (f *flow) open(a int32, side int8) int64 {
	if side == source {
		return f.rest[a]
	}
	return f.rest[f.back[a]]
}

// closed reports whether an edge has no remaining capacity in either direction. Such edges divide the graph into
// pieces.
func (f *flow) closed(a int32) bool { return f.rest[a] == 0 && f.rest[f.back[a]] == 0 }

// grow extends the search tree at node i. It returns an arc from the source's tree to the sink's tree, or -1 if it
// finds none.
func (f *flow) grow(i int32) int32 {
	side := f.side[i]
	for a, end := f.g.arcs(i); a < end; a++ {
		if f.open(a, side) == 0 {
			continue
		}
		j := f.g.to[a]
		switch f.side[j] {
		case free:
			f.side[j], f.up[j] = side, f.back[a]
			f.stamp[j], f.distance[j] = f.stamp[i], f.distance[i]+1
			f.active.push(j)
		case side:
			if f.stamp[j] <= f.stamp[i] && f.distance[j] > f.distance[i] && f.up[j] >= 0 {
				f.up[j] = f.back[a] // this path to the root is shorter
				f.stamp[j], f.distance[j] = f.stamp[i], f.distance[i]+1
			}
		default:
			if side == sink {
				a = f.back[a]
			}
			return a
		}
	}
	return -1
}

// augment sends as much flow as possible along one path: from the root of the source's tree through the arc bridge,
// which connects the two trees, to the root of the sink's tree. If the arc from a node to its parent is full
// afterwards, the node loses its parent and becomes an orphan.
func (f *flow) augment(bridge int32) {
	from, to := f.g.to[f.back[bridge]], f.g.to[bridge]
	amount := f.rest[bridge]
	amount = f.findBottleneck(from, amount)
	amount = f.findBottleneck(to, amount)
	f.rest[bridge] -= amount
	f.rest[f.back[bridge]] += amount
	f.send(from, amount)
	f.send(to, amount)
}

// findBottleneck returns the least of amount, the remaining capacities on the path between node i and its root, and the
// root's own surplus or deficit.
func (f *flow) findBottleneck(i int32, amount int64) int64 {
	side := f.side[i]
	for ; f.up[i] >= 0; i = f.g.to[f.up[i]] {
		a := f.up[i] // the arc from i to its parent; in the source's tree, flow goes from the parent to i
		amount = min(amount, f.open(f.back[a], side))
	}
	if side == source {
		return min(amount, f.surplus[i])
	}
	return min(amount, -f.surplus[i])
}

// send moves an amount of flow between node i and its root.
func (f *flow) send(i int32, amount int64) {
	side := f.side[i]
	for f.up[i] >= 0 {
		a := f.up[i]
		next := f.g.to[a]
		if side == source {
			a = f.back[a]
		}
		f.rest[a] -= amount
		f.rest[f.back[a]] += amount
		if f.rest[a] == 0 {
			f.up[i] = noParent
			f.orphans = append(f.orphans, i)
		}
		i = next
	}
	f.surplus[i] -= int64(side) * amount
	if f.surplus[i] == 0 {
		f.up[i] = noParent
		f.orphans = append(f.orphans, i)
	}
}

// adopt finds a new parent for each orphan, or removes the orphan from its tree.
func (f *flow) adopt() {
	f.time++
	for len(f.orphans) > 0 {
		i := f.orphans[len(f.orphans)-1]
		f.orphans = f.orphans[:len(f.orphans)-1]
		if !f.findParent(i) {
			f.release(i)
		}
	}
}

// findParent finds a new parent for orphan i: of its neighbours in the same tree, the one that is nearest to the root.
// It returns false if there is none.
func (f *flow) findParent(i int32) bool {
	side := f.side[i]
	best, parent := int32(math.MaxInt32), noParent
	for a, end := f.g.arcs(i); a < end; a++ {
		j := f.g.to[a]
		if f.side[j] != side || f.open(f.back[a], side) == 0 {
			continue
		}
		if d := f.rootDistance(j); d < best {
			best, parent = d, a
		}
	}
	if parent == noParent {
		return false
	}
	f.up[i] = parent
	f.stamp[i], f.distance[i] = f.time, best+1
	return true
}

// rootDistance returns the distance of node i from its root: 1 for a root, and MaxInt32 if the path towards the root
// ends at an orphan. It stamps the nodes on the path with the current time.
func (f *flow) rootDistance(i int32) int32 {
	steps, at := int32(0), i
	for f.stamp[at] != f.time {
		steps++
		if f.up[at] == noParent {
			return math.MaxInt32
		}
		if f.up[at] == isRoot {
			f.stamp[at], f.distance[at] = f.time, 1
			steps--
			break
		}
		at = f.g.to[f.up[at]]
	}
	total := steps + f.distance[at]
	for d := total; f.stamp[i] != f.time; i = f.g.to[f.up[i]] {
		f.stamp[i], f.distance[i] = f.time, d
		d--
	}
	return total
}

// release removes orphan i from its tree. Its children become orphans. Neighbours from which the tree could reach it
// again become active.
func (f *flow) release(i int32) {
	side := f.side[i]
	for a, end := f.g.arcs(i); a < end; a++ {
		j := f.g.to[a]
		if f.side[j] != side || f.closed(a) {
			continue
		}
		if f.open(f.back[a], side) > 0 {
			f.active.push(j)
		}
		if f.up[j] == f.back[a] {
			f.up[j] = noParent
			f.orphans = append(f.orphans, j)
		}
	}
	f.side[i] = free
}

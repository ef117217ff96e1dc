package graph

import (
	"math"
	"slices"
)

// This file divides trees into hierarchies of node sets. haar.go transforms signals into the orthonormal Haar basis of
// a hierarchy, and shrink.go shrinks their coefficients.

// Dendrogram is a hierarchy of node sets. For each component of a graph it is a binary tree: every set of two or more
// nodes is split into two sets, left and right. A set is referred to by a number: below n it is a single node, and n+k
// is the set with index k. A set has a smaller index than the two sets into which it is split.
type Dendrogram struct {
	left, right []int32
	// size[k] is the number of nodes of set k, and leftSize[k] the number in its left half.
	size, leftSize []int32
	// root[c] is the reference to the set of all nodes of component c.
	root []int32
	n    int
}

// newDendrogram returns the dendrogram of a forest whose positions are a depth-first preorder. node[p] is the node at
// position p, and parent[p] the position of its parent, or −1 for a root.
//
// It splits each tree at a node whose branches all have at most half of the nodes (Sharpnack, Singh & Krishnamurthy,
// "Detecting activations over graphs using spanning tree wavelet bases", AISTATS 2013). The node joins its smallest
// branch, the list of branches is halved repeatedly, and each branch is split in the same way. If d is the largest
// degree, the depth is at most about ceil(log2 d)·ceil(log2 n). The time is O(n log n).
func newDendrogram(node, parent []int32) *Dendrogram {
	n := len(parent)
	d := &Dendrogram{n: n}
	d.reserve(n)
	s := &splitter{Dendrogram: d, node: slices.Clone(node), size: subtreeSizes(parent)}
	for p := 0; p < n; p += int(s.size[p]) {
		s.todo = append(s.todo, branch{int32(p), int32(p) + s.size[p], rootSlot})
	}
	slices.Reverse(s.todo)
	for len(s.todo) > 0 {
		b := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.split(b)
	}
	return d
}

// Nodes returns the number of nodes.
func (d *Dendrogram) Nodes() int { return d.n }

// Components returns the number of trees.
func (d *Dendrogram) Components() int { return len(d.root) }

func (d *Dendrogram) reserve(n int) {
	d.left, d.right = make([]int32, 0, n), make([]int32, 0, n)
	d.size, d.leftSize = make([]int32, 0, n), make([]int32, 0, n)
}

func subtreeSizes(parent []int32) []int32 {
	size := make([]int32, len(parent))
	for p := len(size) - 1; p >= 0; p-- {
		size[p]++
		if parent[p] >= 0 {
			size[parent[p]] += size[p]
		}
	}
	return size
}

// A slot is a place for the reference to a set: slot 2k for the left half of set k, slot 2k+1 for its right half.
// rootSlot is the slot of the set of all nodes of a component.
const rootSlot = -1

// branch is the subtree at positions low to high−1. slot is where the reference to its node set will be stored.
type branch struct{ low, high, slot int32 }

// splitter splits trees. todo holds the branches that remain to be split. Positions are a depth-first preorder, so each
// subtree is a range of positions; a cut rearranges node and size. node[p] is the node at position p, and size[p] the
// size of its subtree within its branch.
type splitter struct {
	*Dendrogram
	node, size []int32
	todo       []branch
	spare      []int32
	path       []int32
	cuts       []int32
}

// put stores a reference to a set in a slot.
func (d *Dendrogram) put(slot, reference int32) {
	switch {
	case slot == rootSlot:
		d.root = append(d.root, reference)
	case slot%2 == 0:
		d.left[slot/2] = reference
	default:
		d.right[slot/2] = reference
	}
}

// addSet adds a set of size nodes, leftSize of them in its left half, to the dendrogram. It stores the reference to the
// set in slot, and returns the set's index.
func (d *Dendrogram) addSet(slot, size, leftSize int32) int32 {
	k := int32(len(d.left))
	d.put(slot, int32(d.n)+k)
	d.left, d.right = append(d.left, 0), append(d.right, 0)
	d.size, d.leftSize = append(d.size, size), append(d.leftSize, leftSize)
	return k
}

func (s *splitter) split(b branch) {
	switch b.high - b.low {
	case 1:
		s.put(b.slot, s.node[b.low])
	case 2:
		k := s.addSet(b.slot, 2, 1)
		s.put(2*k, s.node[b.low])
		s.put(2*k+1, s.node[b.low+1])
	default:
		s.chain(s.branches(b), b.slot)
	}
}

// chain halves a list of adjacent branches until each list has one branch. bounds holds the start of each branch,
// followed by the end of the last branch.
func (s *splitter) chain(bounds []int32, slot int32) {
	last := len(bounds) - 1
	if last == 1 {
		s.todo = append(s.todo, branch{bounds[0], bounds[1], slot})
		return
	}
	half := last / 2
	k := s.addSet(slot, bounds[last]-bounds[0], bounds[half]-bounds[0])
	s.chain(bounds[half:], 2*k+1)
	s.chain(bounds[:half+1], 2*k)
}

// centre returns the position at which a subtree is cut. It starts at the subtree's root and moves into the branch with
// more than half of the nodes until there is none. path holds the positions before the last one.
func (s *splitter) centre(b branch) int32 {
	half := (b.high - b.low) / 2
	s.path = s.path[:0]
	at := b.low
	for {
		end, heavy := at+s.size[at], int32(-1)
		for child := at + 1; child < end; child += s.size[child] {
			if s.size[child] > half {
				heavy = child
				break
			}
		}
		if heavy < 0 {
			return at
		}
		s.path = append(s.path, at)
		at = heavy
	}
}

// branches cuts a subtree of at least 3 nodes at its centre, and rearranges its positions so that each branch is a
// range. The centre joins the smallest branch. branches returns the start of each branch, followed by the end of the
// last branch.
func (s *splitter) branches(b branch) []int32 {
	c := s.centre(b)
	end := c + s.size[c]
	smallest, least := int32(-1), int32(math.MaxInt32) // -1 stands for the branch above the centre
	if c > b.low {
		least = b.high - b.low - s.size[c]
	}
	for child := c + 1; child < end; child += s.size[child] {
		if s.size[child] < least {
			smallest, least = child, s.size[child]
		}
	}
	above := s.size[c] // how many nodes the subtrees of the centre's ancestors lose
	if smallest < 0 {
		above--
		s.size[c] = 1
		c++ // the centre becomes the last node of the branch above it, whose nodes come first
	} else {
		s.size[c] = 1 + least
		s.rotate(c+1, smallest, smallest+least)
	}
	for _, p := range s.path {
		s.size[p] -= above
	}
	s.rotate(c, end, b.high)
	return s.bounds(b, c+b.high-end)
}

// bounds returns the starts of the branches: first the branch above the centre, if there is one, then the branches from
// position p.
func (s *splitter) bounds(b branch, p int32) []int32 {
	s.cuts = s.cuts[:0]
	if p > b.low {
		s.cuts = append(s.cuts, b.low)
	}
	for ; p < b.high; p += s.size[p] {
		s.cuts = append(s.cuts, p)
	}
	s.cuts = append(s.cuts, b.high)
	return s.cuts
}

// rotate exchanges the adjacent ranges [a, b) and [b, c).
func (s *splitter) rotate(a, b, c int32) {
	if a == b || b == c {
		return
	}
	for _, x := range [][]int32{s.node, s.size} {
		if b-a <= c-b {
			s.spare = append(s.spare[:0], x[a:b]...)
			copy(x[a:], x[b:c])
			copy(x[a+c-b:], s.spare)
		} else {
			s.spare = append(s.spare[:0], x[b:c]...)
			copy(x[a+c-b:c], x[a:b])
			copy(x[a:], s.spare)
		}
	}
}

package graph

// heap is a node of a skew heap (Sleator & Tarjan 1986), stored as an element of a slice. left and right are indices in
// the slice. The smallest key is at the root. Index 0 is the empty heap.
type heap struct {
	key         float64
	left, right int32
}

// merge unites two heaps and returns the root.
func merge(h []heap, a, b int32) int32 {
	if a == 0 {
		return b
	}
	if b == 0 {
		return a
	}
	if h[b].key < h[a].key {
		a, b = b, a
	}
	root := a
	for {
		x := &h[a]
		next := x.right
		x.right = x.left
		if next == 0 {
			x.left = b
			return root
		}
		if h[b].key < h[next].key {
			next, b = b, next
		}
		x.left = next
		a = next
	}
}

// pop removes the root of a heap and returns the new root.
func pop(h []heap, root int32) int32 { return merge(h, h[root].left, h[root].right) }

package graph

// Product returns the graph of a table with sizes[i] values in dimension i. Cells are numbered row by row: the last
// dimension changes fastest. Two cells are joined by an edge of weight 1 and unknown length if they differ by one step
// in one dimension (the Cartesian product of paths). Without dimensions there is one cell. Errors: a [*SizeError] if a
// size is negative, or if there are more than MaxNodes nodes or edges.
func Product(sizes []int) (*Graph, error) {
	n, m, err := productSize(sizes)
	if err != nil {
		return nil, err
	}
	g := &Graph{}
	g.reserve(m)
	strides := make([]int, len(sizes))
	for d, stride := len(sizes)-1, 1; d >= 0; d-- {
		strides[d] = stride
		stride *= sizes[d]
	}
	for i := range n {
		for d := len(sizes) - 1; d >= 0; d-- {
			if i/strides[d]%sizes[d] < sizes[d]-1 {
				g.addEdge(Edge{U: i, V: i + strides[d], W: 1})
			}
		}
	}
	g.index(n)
	return g, nil
}

func productSize(sizes []int) (n, m int, err error) {
	n = 1
	for _, size := range sizes {
		if size < 0 || size > MaxNodes {
			return 0, 0, &SizeError{"cells in one dimension", size, MaxNodes}
		}
		if size == 0 {
			return 0, 0, nil
		}
	}
	for _, size := range sizes {
		if n *= size; n > MaxNodes {
			return 0, 0, &SizeError{"cells", n, MaxNodes}
		}
	}
	for _, size := range sizes {
		m += n / size * (size - 1)
	}
	if m > MaxNodes {
		return 0, 0, &SizeError{"edges", m, MaxNodes}
	}
	return n, m, nil
}

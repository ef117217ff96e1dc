package denoise

import "github.com/dprelease/dprelease/denoise/graph"

// The types that [WithGraph] and [WithRun] take; see package graph.
type (
	// Graph holds which cells are neighbours.
	Graph = graph.Graph
	// Edge joins two cells.
	Edge = graph.Edge
	// EdgeError names a wrong edge.
	EdgeError = graph.EdgeError
	// Run sets how a computation is carried out.
	Run = graph.Run
)

// NewGraph returns a graph that joins the cells of a shape. Along axis it joins cells by edges, whose ends are indices
// of that dimension's cells. Along each other dimension with an order it joins successive cells, by edges of weight 1
// and unknown length. Errors: an [*Error]; an [*EdgeError] for the first wrong edge; an error if there are too many
// nodes or edges.
func NewGraph(shape Shape, axis int, edges []Edge) (*Graph, error) {
	if err := shape.check(); err != nil {
		return nil, err
	}
	if axis < 0 || axis >= len(shape.Dims) {
		return nil, &Error{Code: CodeShape, Message: "the edges' dimension is not among the cells'"}
	}
	one, err := graph.New(shape.Dims[axis], edges)
	if err != nil || len(shape.Dims) == 1 {
		return one, err
	}
	if copies := shape.Cells() / shape.Dims[axis]; len(edges) > graph.MaxNodes/copies {
		return nil, &graph.SizeError{What: "edges", Got: len(edges), Want: graph.MaxNodes / copies}
	}
	var all []Edge
	shape.lines(axis, func(cells []int) {
		for _, e := range edges {
			e.U, e.V = cells[e.U], cells[e.V]
			all = append(all, e)
		}
	})
	for _, other := range shape.ordered() {
		if other != axis {
			all = shape.neighbours(other, all)
		}
	}
	return graph.New(shape.Cells(), all)
}

// neighbours appends an edge between any two successive cells along a dimension.
func (s Shape) neighbours(axis int, edges []Edge) []Edge {
	s.lines(axis, func(cells []int) {
		for k, to := range cells[1:] {
			edges = append(edges, Edge{U: cells[k], V: to, W: 1})
		}
	})
	return edges
}

package denoise

import (
	"errors"
	"fmt"

	"github.com/dprelease/dprelease/denoise/internal/graph"
)

// Edge is an undirected edge between two cells, numbered from 0.
type Edge struct {
	U, V int
	// W > 0 is the weight: a difference across the edge costs W times as much as one of weight 1.
	W float64
	// Length is the public distance between the cells in any unit, or 0 if it is unknown.
	Length float64
}

// EdgeError names a wrong edge of the list given to [NewGraph], and the reason.
type EdgeError struct {
	// Index counts from 0.
	Index  int
	Reason string
}

func (e *EdgeError) Error() string { return fmt.Sprintf("edge %d: %s", e.Index, e.Reason) }

// Graph is an immutable graph of the cells of a query, for [Step.WithGraph]. [NewGraph] makes one.
type Graph struct{ network *graph.Graph }

// Run sets how a computation is carried out, such as the number of workers. No field changes its result.
type Run struct {
	// Workers is the number of goroutines. If it is 0, there is one per processor.
	Workers int
	// Progress, if not nil, is called with the number of tasks done and their total. Two goroutines never call it at
	// the same time.
	Progress func(done, total int)
}

// NewGraph returns a graph that joins the cells of a shape. edges join cells of the dimension axis; their ends are
// indices along it. Successive cells of each other dimension with an order are joined by edges of weight 1 and unknown
// length. Loops are dropped. Parallel edges become one, with the sum of their weights and their shortest known length.
// Errors: an [*EdgeError] for the first edge with an end that is not a cell, a weight that is not positive or a length
// that is negative; else an [*Error].
func NewGraph(shape Shape, axis int, edges []Edge) (*Graph, error) {
	if err := shape.check(); err != nil {
		return nil, err
	}
	if axis < 0 || axis >= len(shape.Dims) {
		return nil, &Error{Code: CodeShape, Message: "the edges' dimension is not among the cells'"}
	}
	all := make([]graph.Edge, len(edges))
	for i, e := range edges {
		all[i] = graph.Edge(e)
	}
	network, err := graph.New(shape.Dims[axis], all)
	if err == nil && len(shape.Dims) > 1 {
		network, err = repeatAlong(shape, axis, all)
	}
	if err != nil {
		return nil, graphError(err)
	}
	return &Graph{network}, nil
}

// repeatAlong returns the graph of all cells of a shape: it repeats the edges for every line of cells along axis.
func repeatAlong(shape Shape, axis int, edges []graph.Edge) (*graph.Graph, error) {
	if copies := shape.Cells() / shape.Dims[axis]; len(edges) > graph.MaxNodes/copies {
		return nil, &graph.SizeError{What: "edges", Got: len(edges), Want: graph.MaxNodes / copies}
	}
	var all []graph.Edge
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

// graphError returns an error of package graph as one of this package.
func graphError(err error) error {
	var wrong *graph.EdgeError
	if errors.As(err, &wrong) {
		return &EdgeError{wrong.Index, wrong.Reason}
	}
	return &Error{Code: CodeTooLarge, Message: err.Error()}
}

// neighbours appends an edge between any two successive cells along a dimension.
func (s Shape) neighbours(axis int, edges []graph.Edge) []graph.Edge {
	s.lines(axis, func(cells []int) {
		for k, to := range cells[1:] {
			edges = append(edges, graph.Edge{U: cells[k], V: to, W: 1})
		}
	})
	return edges
}

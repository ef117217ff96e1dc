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

// EdgeError means that an edge in the list given to [NewGraph] is wrong.
type EdgeError struct {
	// Index is the edge's index in the list, from 0.
	Index  int
	Reason string
}

func (e *EdgeError) Error() string { return fmt.Sprintf("edge %d: %s", e.Index, e.Reason) }

// Graph is an immutable graph of the cells of a query, for [Step.WithGraph]. [NewGraph] returns one.
type Graph struct{ network *graph.Graph }

// Run holds settings for carrying out a computation, such as the number of workers. They do not change the result.
type Run struct {
	// Workers is the number of goroutines, or 0 for one per processor.
	Workers int
	// Progress, if not nil, is called with the number of tasks done and their total. Two goroutines never call it at
	// the same time.
	Progress func(done, total int)
}

// NewGraph returns a graph that joins the cells of a shape. edges join cells along the dimension axis; their ends are
// indices along it. Along each other dimension with an order, successive cells are joined by edges of weight 1 and
// unknown length. Loops are dropped. Parallel edges become one, with the sum of their weights and their shortest known
// length. Errors: an [*EdgeError] for the first edge with an end that is not a cell, a weight that is not positive or a
// length that is negative; for other problems an [*Error].
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

// repeatAlong returns the graph of all cells of a shape. It repeats the edges for every line of cells along axis.
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

// graphError converts an error of package graph to an error of this package.
func graphError(err error) error {
	var wrong *graph.EdgeError
	if errors.As(err, &wrong) {
		return &EdgeError{wrong.Index, wrong.Reason}
	}
	return &Error{Code: CodeTooLarge, Message: err.Error()}
}

// neighbours appends an edge for each pair of successive cells along a dimension.
func (s Shape) neighbours(axis int, edges []graph.Edge) []graph.Edge {
	s.lines(axis, func(cells []int) {
		for k, to := range cells[1:] {
			edges = append(edges, graph.Edge{U: cells[k], V: to, W: 1})
		}
	})
	return edges
}

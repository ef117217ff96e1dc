package denoise

import (
	"errors"

	"github.com/dprelease/dprelease/denoise/internal/graph"
)

// Edge is an undirected edge between the cells U and V, numbered from 0. W > 0 is its weight: a difference across the
// edge costs W times as much as one of weight 1. Length is the public distance between the cells in any unit, or 0 if
// it is unknown.
type Edge = graph.Edge

// EdgeError means that an edge in the list given to [NewGraph] is wrong: the one with this Index, from 0.
type EdgeError = graph.EdgeError

// Graph is an immutable graph of the cells of a query, for [Step.WithGraph]. [NewGraph] returns one.
type Graph struct{ network *graph.Graph }

// Run holds settings for carrying out a computation, which do not change the result. Workers is the number of
// goroutines, or 0 for one per processor. Progress, if not nil, is called with the number of tasks done and their
// total. Two goroutines never call it at the same time.
type Run = graph.Run

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
	network, err := graph.New(shape.Dims[axis], edges)
	if err == nil && len(shape.Dims) > 1 {
		network, err = repeatAlong(shape, axis, edges)
	}
	switch {
	case err == nil:
		return &Graph{network}, nil
	case errors.As(err, new(*EdgeError)):
		return nil, err
	}
	return nil, &Error{Code: CodeTooLarge, Message: err.Error()}
}

// repeatAlong returns the graph of all cells of a shape. It repeats the edges for every line of cells along axis.
func repeatAlong(shape Shape, axis int, edges []Edge) (*graph.Graph, error) {
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

// neighbours appends an edge for each pair of successive cells along a dimension.
func (s Shape) neighbours(axis int, edges []Edge) []Edge {
	s.lines(axis, func(cells []int) {
		for k, to := range cells[1:] {
			edges = append(edges, Edge{U: cells[k], V: to, W: 1})
		}
	})
	return edges
}

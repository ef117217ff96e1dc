package denoise

import (
	"github.com/dprelease/dprelease/denoise/graph"
)

// Bind tells a step the shape of the cells. It returns an [*Error] if the step's method needs an order or a graph that
// these cells do not have, or if there are too many cells. So a plan finds such errors before anything is spent.
func Bind(s Step, shape Shape) (Step, error) {
	own, ok := s.(step)
	if !ok {
		return s, nil
	}
	if err := shape.check(); err != nil {
		return nil, err
	}
	own.cells.shape = &shape
	if err := own.method.fits(own.cells); err != nil {
		return nil, err
	}
	if g := own.cells.graph; g != nil && g.Nodes() != shape.Cells() {
		return nil, wrongNodes(g, shape.Cells())
	}
	if probe := own.method.probe; probe != nil {
		if err := probe(own.args, own.cells); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// WithGraph tells a step which cells are neighbours: node i is cell i. It returns an [*Error] if the method does not
// use a graph. Call it before [Bind].
func WithGraph(s Step, g *graph.Graph) (Step, error) {
	own, ok := s.(step)
	if !ok || !own.method.TakesGraph {
		return nil, &Error{Code: CodeNeedsGraph, Message: s.Name() + " has no use for a graph"}
	}
	own.cells.graph = g
	return own, nil
}

// WithRun sets how a step carries out its computations on graphs. It changes no result.
func WithRun(s Step, r graph.Run) Step {
	own, ok := s.(step)
	if !ok {
		return s
	}
	own.cells.run = r
	return own
}

// WithRuns calls [WithRun] for every step.
func WithRuns(steps []Step, run Run) []Step {
	out := make([]Step, len(steps))
	for i, s := range steps {
		out[i] = WithRun(s, run)
	}
	return out
}

// orders returns the number of dimensions with an order that have more than one cell. If there is none, it returns 1 if
// any dimension has an order.
func (s Shape) orders() int {
	if several := len(s.ordered()); several > 0 {
		return several
	}
	for _, ordered := range s.Ordered {
		if ordered {
			return 1
		}
	}
	return 0
}

// network returns the graph of the cells: the given graph, or else a graph that joins neighbours along the dimensions
// with an order.
func (c structure) network() (*graph.Graph, error) {
	if c.graph != nil {
		return c.graph, nil
	}
	if len(c.shape.ordered()) == len(c.shape.Dims) {
		return graph.Product(c.shape.Dims)
	}
	var edges []Edge
	for _, axis := range c.shape.ordered() {
		edges = c.shape.neighbours(axis, edges)
	}
	return graph.New(c.shape.Cells(), edges)
}

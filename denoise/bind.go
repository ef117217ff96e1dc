package denoise

import (
	"fmt"

	"github.com/dprelease/dprelease/denoise/graph"
)

// Need is what a method must know about the cells.
type Need string

// The needs.
const (
	// NeedsNothing means that any vector will do.
	NeedsNothing Need = ""
	// NeedsOrder means at least one dimension with an order.
	NeedsOrder Need = "order"
	// NeedsLine means exactly one dimension with an order.
	NeedsLine Need = "line"
	// NeedsGraph means a graph of the cells, or dimensions with an order, along which neighbouring cells are then
	// joined.
	NeedsGraph Need = "graph"
)

// Bind tells a step the shape of the cells. It returns an [*Error] if the step's method needs an order or a graph that
// these cells do not have, or if there are too many of them, so that a plan can ask before anything is spent.
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

// WithRuns is [WithRun] of every step.
func WithRuns(steps []Step, run Run) []Step {
	out := make([]Step, len(steps))
	for i, s := range steps {
		out[i] = WithRun(s, run)
	}
	return out
}

// fits returns an [*Error] if the cells do not have what the method needs.
func (m Method) fits(cells structure) error {
	ordered, known := 0, cells.shape != nil
	if known {
		ordered = cells.shape.orders()
	}
	switch {
	case m.Needs == NeedsGraph && cells.graph == nil && ordered == 0:
		return &Error{Code: CodeNeedsGraph, Message: m.Name + " needs a graph of the cells", Hint: "give its edges, or use it on edges, hours or a grid"}
	case (m.Needs == NeedsOrder || m.Needs == NeedsLine) && ordered == 0:
		return &Error{Code: CodeNeedsOrder, Message: m.Name + " needs cells in an order", Hint: "edges, hours and grids have one; empirical-bayes needs none"}
	case m.Needs == NeedsLine && ordered > 1:
		message := fmt.Sprintf("%s needs one dimension with an order, not %d", m.Name, ordered)
		return &Error{Code: CodeNeedsOrder, Message: message, Hint: "wavelet takes them all"}
	}
	return nil
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

// network returns the graph of the cells: the one that was given, or else that of neighbours along the dimensions with
// an order.
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

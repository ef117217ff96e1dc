package denoise

import "github.com/dprelease/dprelease/denoise/internal/graph"

// Bind returns the step for cells of this shape. It returns an [*Error] if the step's method needs an order or a graph
// that these cells do not have, or if there are too many cells. A plan calls it to find such errors before any budget
// is spent.
func (s *Step) Bind(shape Shape) (*Step, error) {
	if err := shape.check(); err != nil {
		return nil, err
	}
	bound := *s
	bound.cells.shape = &shape
	if err := bound.method.fits(bound.cells); err != nil {
		return nil, err
	}
	if g := bound.cells.graph; g != nil && g.Nodes() != shape.Cells() {
		return nil, wrongNodes(g, shape.Cells())
	}
	if probe := bound.method.probe; probe != nil {
		if err := probe(bound.args, bound.cells); err != nil {
			return nil, err
		}
	}
	return &bound, nil
}

// WithGraph returns the step for cells that are the nodes of g: cell i is node i. It returns an [*Error] if the method
// does not use a graph. Call it before [Step.Bind].
func (s *Step) WithGraph(g *Graph) (*Step, error) {
	if !s.method.TakesGraph {
		return nil, &Error{Code: CodeNeedsGraph, Message: s.Name() + " has no use for a graph"}
	}
	if g == nil || g.network == nil {
		return nil, &Error{Code: CodeNeedsGraph, Message: "the graph is empty", Hint: "NewGraph makes one"}
	}
	with := *s
	with.cells.graph = g.network
	return &with, nil
}

// WithRun returns the step with other settings for graph computations, such as the number of workers. These settings do
// not change the result.
func (s *Step) WithRun(r Run) *Step {
	with := *s
	with.cells.run = r
	return &with
}

// WithRuns returns the steps with other settings for graph computations; see [Step.WithRun].
func WithRuns(steps []*Step, run Run) []*Step {
	out := make([]*Step, len(steps))
	for i, s := range steps {
		out[i] = s.WithRun(run)
	}
	return out
}

// orders returns the number of ordered dimensions with more than one cell. If there is none, it returns 1 if some
// dimension is ordered, and 0 otherwise.
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

// network returns the graph of the cells. If the job gives no graph, neighbours along the ordered dimensions are
// joined.
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

package denoise

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/denoise/internal/graph"
)

// Method describes one denoising method, such as james-stein.
type Method struct {
	// Name is the name in a job.
	Name string
	// Aliases are names of the method in other tools. If a job uses one, the hint suggests Name.
	Aliases []string
	// Doc is one sentence that describes the method.
	Doc    string
	Params []Param
	// KnownNoise is set if the method needs independent noise of known standard deviation. A step with this method must be
	// the first.
	KnownNoise bool
	// Needs is what the method must know about the cells, such as an order.
	Needs Need
	// TakesGraph is set if the method uses a graph of the cells when there is one.
	TakesGraph bool
	// ForCounts is set if the method relies on what is true of counts, such as not being negative. It does not suit a
	// mean, whose sums are centred and may be negative.
	ForCounts bool

	// build returns the rule of a step. The parameters have texts that checkText accepts, and none is missing.
	build func(Args) rule
	// conflict returns an error if the parameters contradict each other. It is nil if they cannot.
	conflict func(Args) *Error
	// probe returns an error if there are too many cells for the method. It is nil if the number of cells is not limited.
	probe func(Args, structure) error
}

// Need is what a method must know about the cells.
type Need string

// The values of Need.
const (
	// NeedsNothing: the method works on any vector.
	NeedsNothing Need = ""
	// NeedsOrder: at least one dimension must have an order.
	NeedsOrder Need = "order"
	// NeedsLine: exactly one dimension must have an order.
	NeedsLine Need = "line"
	// NeedsGraph: there must be a graph of the cells, or a dimension with an order. Without a graph, neighbouring cells
	// along the ordered dimensions are joined.
	NeedsGraph Need = "graph"
)

// rule computes an estimate and returns it in a new slice.
type rule func(ctx context.Context, p problem) (Fit, error)

// problem is the input of an estimator: noisy values, the standard deviation of their noise, and public facts about the
// cells.
type problem struct {
	y  []float64
	s  float64
	of int // the number of cells of the whole vector, if y is a block of it; otherwise 0
	structure
}

// total returns the number of cells of the whole vector.
func (p problem) total() int {
	if p.of > 0 {
		return p.of
	}
	return len(p.y)
}

// structure holds the public facts about the cells: their shape and graph. If shape is nil, their order is unknown.
type structure struct {
	shape *Shape
	graph *graph.Graph
	run   graph.Run
}

// fits returns an [*Error] if the cells lack the order or graph that the method needs.
func (m Method) fits(cells structure) error {
	ordered, known := 0, cells.shape != nil
	if known {
		ordered = cells.shape.orders()
	}
	switch {
	case m.Needs == NeedsGraph && cells.graph == nil && ordered == 0:
		return &Error{Code: CodeNeedsGraph, Message: m.Name + " needs a graph of the cells",
			Hint: "give its edges, or use it on edges, hours or a grid"}
	case (m.Needs == NeedsOrder || m.Needs == NeedsLine) && ordered == 0:
		return &Error{Code: CodeNeedsOrder, Message: m.Name + " needs cells in an order",
			Hint: "edges, hours and grids have one; empirical-bayes needs none"}
	case m.Needs == NeedsLine && ordered > 1:
		message := fmt.Sprintf("%s needs one dimension with an order, not %d", m.Name, ordered)
		return &Error{Code: CodeNeedsOrder, Message: message, Hint: "wavelet takes them all"}
	}
	return nil
}

// unknownParameter returns the error for a parameter that the method does not have.
func (m Method) unknownParameter(name string) *Error {
	return &Error{Code: CodeUnknownParameter, Message: fmt.Sprintf("%s has no parameter %q", m.Name, name),
		Hint: suggest(name, m.paramNames()), Param: name}
}

func (m Method) paramNames() []string {
	var out []string
	for _, p := range m.Params {
		out = append(out, p.Name)
	}
	return out
}

package denoise

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/denoise/internal/graph"
)

// Method describes one kind of step.
type Method struct {
	// Name is the name in a job.
	Name string
	// Aliases are the names that other tools use. They are for hints.
	Aliases []string
	// Doc is one sentence about the method.
	Doc    string
	Params []Param
	// KnownNoise: the method needs independent noise of known standard deviation. Such a step must be the first.
	KnownNoise bool
	// Needs is what the method must know about the cells.
	Needs Need
	// TakesGraph: the method uses a graph if there is one.
	TakesGraph bool
	// ForCounts: the method does not suit centred sums.
	ForCounts bool

	build func(Args) (rule, error)
	// probe returns an error if there are too many cells for the method. It may be nil.
	probe func(Args, structure) error
}

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

// rule returns an estimate, in a new slice.
type rule func(ctx context.Context, p problem) (Fit, error)

// problem is the input of an estimator: noisy values, the standard deviation of their noise, public facts about the
// cells.
type problem struct {
	y  []float64
	s  float64
	of int // the number of the vector's cells, if y holds only some of them; 0 if y holds all
	structure
}

// total returns the number of the vector's cells.
func (p problem) total() int {
	if p.of > 0 {
		return p.of
	}
	return len(p.y)
}

// structure holds the public facts about the cells. If shape is nil, nothing is known about their order.
type structure struct {
	shape *Shape
	graph *graph.Graph
	run   graph.Run
}

// fits returns an [*Error] if the cells do not have what the method needs.
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

// foreign returns the error for a parameter that the method does not have.
func (m Method) foreign(name string) *Error {
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

package denoise

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/dprelease/dprelease/denoise/internal/graph"
)

// Step is one post-processing step: a method with its parameters and, after [Step.Bind] and [Step.WithGraph], with the
// public facts about the cells. [New] returns one. A step is immutable, and its errors never depend on a noisy value.
type Step struct {
	method  Method
	rule    rule
	args    Args
	cells   structure
	perCell bool // each cell is treated separately
}

// New returns a step of the named method. It returns an [*Error] if the method or a parameter is unknown, if a
// parameter is missing, or if a value is out of range. If the method needs the order or the graph of the cells, call
// [Step.Bind] or [Step.WithGraph] next.
func New(method string, args Args) (*Step, error) {
	m, errs := checkArgs(method, args)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	args = maps.Clone(args)
	return &Step{method: m, rule: m.build(args), args: args, perCell: isPerCell(method, args)}, nil
}

// isPerCell reports whether a method with these parameters treats each cell separately, given the length of the whole
// vector. Such a step can be applied block by block to vectors that do not fit in memory.
func isPerCell(method string, a Args) bool {
	switch method {
	case "nonnegative", "round":
		return true
	case "soft-threshold", "hard-threshold":
		return a["threshold"] != "sure"
	}
	return false
}

// Name returns the method's name in a job.
func (s *Step) Name() string { return s.method.Name }

// KnownNoise reports whether the step needs independent Gaussian noise of known standard deviation. If so, it must be
// the first step.
func (s *Step) KnownNoise() bool { return s.method.KnownNoise }

// CellByCell reports whether each estimate depends only on the noisy value of its own cell.
func (s *Step) CellByCell() bool { return s.perCell }

// Estimate carries out the step on noisy values, whose noise must be independent with standard deviation deviation > 0.
// It does not change y. Errors: an [*Error] if deviation or a value is not a finite number, or if the step is bound to
// another number of cells; ctx.Err().
func (s *Step) Estimate(ctx context.Context, y []float64, deviation float64) (Fit, error) {
	if err := checkInput(y, deviation); err != nil {
		return Fit{}, err
	}
	return s.fit(ctx, y, deviation)
}

// fit does the same as Estimate, but does not check that the values are finite.
func (s *Step) fit(ctx context.Context, y []float64, deviation float64) (Fit, error) {
	if err := s.suits(ctx, len(y)); err != nil {
		return Fit{}, err
	}
	return s.rule(ctx, problem{y: y, s: deviation, structure: s.cells})
}

// Blockwise returns the step as a function that replaces values by estimates in place, for vectors that do not fit in
// memory. The function can be called for any block of a vector of cells values, at any time and from several
// goroutines. notes describe the whole vector. Errors: an [*Error] if [Step.CellByCell] is false; the errors of
// [Step.Estimate].
func (s *Step) Blockwise(ctx context.Context, cells int, deviation float64) (replace func(values []float64),
	notes []string, err error) {
	if !s.perCell {
		return nil, nil, &Error{Code: CodeTooLarge, Message: s.method.Name + " needs all cells at once"}
	}
	p := problem{y: []float64{0}, s: deviation, of: cells, structure: s.cells}
	if err := errors.Join(checkInput(p.y, deviation), s.suits(ctx, cells)); err != nil {
		return nil, nil, err
	}
	f, err := s.rule(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	unending := context.WithoutCancel(ctx) // the vector may be read after ctx has ended
	return func(values []float64) {
		block := p
		block.y = values
		if f, err := s.rule(unending, block); err == nil { // it fails only if its context has ended
			copy(values, f.X)
		}
	}, f.Notes, nil
}

// suits returns an error if the step cannot be applied to this number of cells, or if ctx has ended. It cannot be
// applied if it is empty, bound to another number of cells, or without the order or the graph that its method needs.
func (s *Step) suits(ctx context.Context, cells int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.rule == nil {
		return &Error{Code: CodeUnknownMethod, Message: "the step is empty", Hint: "New makes one"}
	}
	if err := s.method.fits(s.cells); err != nil {
		return err
	}
	if shape := s.cells.shape; shape != nil && shape.Cells() != cells {
		return wrongCells(*shape, cells)
	}
	if g := s.cells.graph; g != nil && g.Nodes() != cells {
		return wrongNodes(g, cells)
	}
	return nil
}

func wrongNodes(g *graph.Graph, cells int) error {
	return &Error{Code: CodeShape, Message: fmt.Sprintf("a graph of %d nodes for %d cells", g.Nodes(), cells)}
}

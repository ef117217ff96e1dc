package denoise

import (
	"context"
	"fmt"
	"maps"

	"github.com/dprelease/dprelease/denoise/graph"
	"github.com/dprelease/dprelease/internal/mechanism"
)

// Step is one post-processing step. Its errors never depend on a value.
type Step interface {
	// Name returns the method's name, as a job writes it.
	Name() string
	// Apply returns the vector after the step; n itself stays as it is.
	Apply(ctx context.Context, n mechanism.Noisy) (mechanism.Noisy, error)
}

// step is a method with its parameters.
type step struct {
	method  Method
	rule    rule
	args    Args
	cells   structure
	perCell bool // each cell is treated separately
}

// New returns a step of the named method. It returns an [*Error] if the method or a parameter is unknown, if a
// parameter is missing, or if a value is out of range. If the method needs the order or the graph of the cells, call
// [Bind] or [WithGraph] next.
func New(method string, args Args) (Step, error) {
	m, errs := judge(method, args)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	rule, err := m.build(args)
	if err != nil {
		return nil, err
	}
	return step{method: m, rule: rule, args: maps.Clone(args), perCell: isPerCell(method, args)}, nil
}

// isPerCell reports whether a method with these parameters treats each cell separately, given the number of all cells.
// Such a step is applied block by block to vectors that are too long for memory.
func isPerCell(method string, a Args) bool {
	switch method {
	case "nonnegative", "round":
		return true
	case "soft-threshold", "hard-threshold":
		return a["threshold"] != "sure"
	}
	return false
}

func (s step) Name() string { return s.method.Name }

func (s step) Apply(ctx context.Context, n mechanism.Noisy) (mechanism.Noisy, error) {
	next, _, err := s.applyNoted(ctx, n)
	return next, err
}

func (s step) applyNoted(ctx context.Context, n mechanism.Noisy) (next mechanism.Noisy, notes []string, err error) {
	if s.method.KnownNoise && !n.Normal() {
		return mechanism.Noisy{}, nil, &Error{Code: CodeNoise, Message: s.method.Name + " is for Gaussian noise"}
	}
	if s.perCell && n.Len() > 0 {
		return s.applyPerCell(ctx, n)
	}
	deviation := n.Mechanism().Deviation()
	next, err = n.Then(s.method.Name, func(y []float64) ([]float64, error) {
		f, err := s.fit(ctx, y, deviation)
		notes = f.Notes
		return f.X, err
	})
	return next, notes, err
}

// fit returns the estimates for a slice of noisy values.
func (s step) fit(ctx context.Context, y []float64, deviation float64) (Fit, error) {
	if err := s.suits(ctx, len(y)); err != nil {
		return Fit{}, err
	}
	return s.rule(ctx, problem{y: y, s: deviation, structure: s.cells})
}

// suits returns an error if the step cannot take this number of cells, or if ctx has ended.
func (s step) suits(ctx context.Context, cells int) error {
	if err := ctx.Err(); err != nil {
		return err
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

func names(steps []Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.Name()
	}
	return out
}

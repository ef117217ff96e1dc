package denoise

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/denoise/graph"
	"github.com/dprelease/dprelease/mechanism"
)

// Step is one post-processing step. Its errors never depend on a value.
type Step interface {
	// Name returns the method's name, as a job writes it.
	Name() string
	// Apply returns the vector after the step; n itself stays as it is.
	Apply(ctx context.Context, n mechanism.Noisy) (mechanism.Noisy, error)
}

// Apply carries out steps in order, on a vector that may have been through others before. It refuses what [Check]
// refuses.
func Apply(ctx context.Context, n mechanism.Noisy, steps []Step) (mechanism.Noisy, error) {
	next, _, err := ApplyNoted(ctx, n, steps)
	return next, err
}

// ApplyNoted is [Apply], and also returns the notes of the steps on their choices: sentences of public facts, each
// preceded by its step's name.
func ApplyNoted(ctx context.Context, n mechanism.Noisy, steps []Step) (next mechanism.Noisy, notes []string, err error) {
	if err := checkOrder(append(n.Steps(), names(steps)...)); err != nil {
		return mechanism.Noisy{}, nil, err
	}
	for _, s := range steps {
		var said []string
		if own, ok := s.(step); ok {
			n, said, err = own.applyNoted(ctx, n)
		} else {
			n, err = s.Apply(ctx, n)
		}
		if err != nil {
			return mechanism.Noisy{}, nil, fmt.Errorf("denoise %s: %w", s.Name(), err)
		}
		for _, text := range said {
			notes = append(notes, s.Name()+": "+text)
		}
	}
	return n, notes, nil
}

// problem is what an estimator may use: noisy values, the standard deviation of their noise, public facts about the
// cells.
type problem struct {
	y  []float64
	s  float64
	of int // the number of the vector's cells, if y holds only some of them; 0 if y holds all
	structure
}

// structure holds the public facts about the cells. If shape is nil, nothing is known about their order.
type structure struct {
	shape *Shape
	graph *graph.Graph
	run   graph.Run
}

// rule returns an estimate, in a new slice.
type rule func(ctx context.Context, p problem) (Fit, error)

// step is a method with its parameters.
type step struct {
	method Method
	rule   rule
	args   Args
	cells  structure
	alone  bool // each cell is treated separately
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
	if s.alone && n.Len() > 0 {
		return s.applyAlone(ctx, n)
	}
	deviation := n.Mechanism().Deviation()
	next, err = n.Then(s.method.Name, func(y []float64) ([]float64, error) {
		f, err := s.fit(ctx, y, deviation)
		notes = f.Notes
		return f.X, err
	})
	return next, notes, err
}

// fit estimates from a slice.
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

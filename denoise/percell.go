package denoise

import (
	"context"

	"github.com/dprelease/dprelease/internal/mechanism"
)

// CellByCell reports whether a step computes each estimate only from the noisy value of its own cell, so that no
// estimate depends on another cell.
func CellByCell(s Step) bool {
	one, ok := s.(step)
	return ok && one.perCell
}

// total returns the number of the vector's cells.
func (p problem) total() int {
	if p.of > 0 {
		return p.of
	}
	return len(p.y)
}

// applyPerCell is applyNoted for a step that treats each cell separately. Its notes do not depend on any value.
func (s step) applyPerCell(ctx context.Context, n mechanism.Noisy) (next mechanism.Noisy, notes []string, err error) {
	p := problem{y: []float64{0}, s: n.Mechanism().Deviation(), of: n.Len(), structure: s.cells}
	if err := s.suits(ctx, n.Len()); err != nil {
		return mechanism.Noisy{}, nil, err
	}
	f, err := s.rule(ctx, p)
	if err != nil {
		return mechanism.Noisy{}, nil, err
	}
	unending := context.WithoutCancel(ctx) // the vector may be read after ctx has ended
	next, err = n.ThenEach(s.method.Name, func(values []float64) {
		block := p
		block.y = values
		if f, err := s.rule(unending, block); err == nil { // such a rule returns only errors of its context
			copy(values, f.X)
		}
	})
	return next, f.Notes, err
}

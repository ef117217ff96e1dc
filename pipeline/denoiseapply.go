package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/mechanism"
)

// Applying denoising to noisy vectors
//
// Package denoise computes estimates from slices. This file applies its steps to noisy vectors. No other file changes
// noisy values, so every change is recorded as a named step of the vector.

// applySteps carries out denoising steps in order on a vector. notes are sentences of public facts about choices that
// the steps made; each begins with the step's name. Errors include the errors of [denoise.Check].
func applySteps(ctx context.Context, n mechanism.Noisy, steps []*denoise.Step) (next mechanism.Noisy, notes []string,
	err error) {
	if err := checkSteps(n, steps); err != nil {
		return mechanism.Noisy{}, nil, err
	}
	for _, s := range steps {
		var said []string
		if n, said, err = applyStep(ctx, n, s); err != nil {
			return mechanism.Noisy{}, nil, fmt.Errorf("denoise %s: %w", s.Name(), err)
		}
		for _, text := range said {
			notes = append(notes, s.Name()+": "+text)
		}
	}
	return n, notes, nil
}

// checkSteps returns a *denoise.Error if a step needs independent noise, and the vector does not have such noise or
// loses it in an earlier step.
func checkSteps(n mechanism.Noisy, steps []*denoise.Step) error {
	if err := denoise.Check(steps); err != nil {
		return err
	}
	i := slices.IndexFunc(steps, (*denoise.Step).KnownNoise)
	if before := n.Steps(); i >= 0 && len(before) > 0 {
		return &denoise.Error{Code: denoise.CodeOrder, Message: fmt.Sprintf("%s after %s, which has changed the noise",
			steps[i].Name(), before[len(before)-1])}
	}
	return nil
}

// applyStep carries out one step on a vector.
func applyStep(ctx context.Context, n mechanism.Noisy, s *denoise.Step) (next mechanism.Noisy, notes []string,
	err error) {
	deviation := n.Mechanism().Deviation()
	switch {
	case s.KnownNoise() && !n.Normal():
		return n, nil, &denoise.Error{Code: denoise.CodeNoise, Message: s.Name() + " is for Gaussian noise"}
	case s.CellByCell() && n.Len() > 0:
		replace, notes, err := s.Blockwise(ctx, n.Len(), deviation)
		if err != nil {
			return n, nil, err
		}
		next, err = n.ThenEach(s.Name(), replace)
		return next, notes, err
	}
	next, err = n.Then(s.Name(), func(y []float64) ([]float64, error) {
		f, err := s.Estimate(ctx, y, deviation)
		notes = f.Notes
		return f.X, err
	})
	return next, notes, err
}

// stepConsistent is the name of the step that makeConsistent adds to a vector's list of steps.
const stepConsistent = "consistent"

// releasedMargin is a released margin of a table: its cells are sums of the table's cells over all dimensions except
// axes.
type releasedMargin struct {
	axes  []int
	noisy mechanism.Noisy
}

// makeConsistent makes a table and its margins agree by [denoise.Consistent] and returns them. Each vector records this
// as one more step. Other steps may have changed the vectors before. The weights follow from the noise with which each
// vector was released.
func makeConsistent(table mechanism.Noisy, shape denoise.Shape, margins []releasedMargin) (mechanism.Noisy,
	[]mechanism.Noisy, error) {
	fixed := make([]denoise.Margin, len(margins))
	for i, m := range margins {
		fixed[i] = denoise.Margin{Axes: m.axes, Values: make([]float64, m.noisy.Len()),
			Deviation: m.noisy.Mechanism().Deviation()}
		m.noisy.Fill(0, fixed[i].Values)
	}
	var x []float64
	table, err := table.Then(stepConsistent, func(y []float64) (out []float64, err error) {
		x, _, err = denoise.Consistent(y, table.Mechanism().Deviation(), shape, fixed)
		return x, err
	})
	out := make([]mechanism.Noisy, len(margins))
	for i := 0; i < len(margins) && err == nil; i++ {
		out[i], err = margins[i].noisy.Then(stepConsistent, func([]float64) ([]float64, error) {
			return shape.Sums(x, margins[i].axes), nil
		})
	}
	return table, out, err
}

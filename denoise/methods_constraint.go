package denoise

import (
	"context"
	"slices"
)

func init() { register(nonnegative) }

func nonnegative() Method {
	return Method{
		Name: "nonnegative", Aliases: []string{"positive", "clip_at_zero"}, ForCounts: true, Doc: "replaces negative cells " +
			"by 0; sums of many cells become biased upwards",
		build: parameterless(func(y []float64) Fit { return clipped(unchanged(y)) }),
	}
}

func init() { register(round) }

func round() Method {
	return Method{
		Name: "round", ForCounts: true, Doc: "rounds every cell to the nearest integer, ties to even",
		build: parameterless(func(y []float64) Fit { return Fit{X: Round(y), DF: float64(len(y))} }),
	}
}

// clippable adds the parameter nonnegative to an estimator. If a job sets it to true, negative estimates are replaced
// by 0.
func (m Method) clippable() Method {
	floor := nonnegativeParam()
	if !m.KnownNoise || slices.Contains(m.paramNames(), floor.Name) {
		return m
	}
	build := m.build
	m.Params = append(m.Params, floor)
	m.build = func(a Args) rule {
		fit := build(a)
		if !a.boolean(floor) {
			return fit
		}
		return func(ctx context.Context, p problem) (Fit, error) {
			f, err := fit(ctx, p)
			if err != nil {
				return Fit{}, err
			}
			return clipped(f), nil
		}
	}
	return m
}

// parameterless returns the constructor of a method that has no parameters and does not use the noise's standard
// deviation.
func parameterless(f func([]float64) Fit) func(Args) rule {
	return func(Args) rule {
		return func(_ context.Context, p problem) (Fit, error) { return f(p.y), nil }
	}
}

// clipped replaces negative estimates by 0, and multiplies DF by the fraction of estimates that are above 0. This DF is
// exact if all ∂x_i/∂y_i are equal, and an approximation otherwise.
func clipped(f Fit) Fit {
	kept := 0
	for _, x := range f.X {
		if x > 0 {
			kept++
		}
	}
	f.DF *= float64(kept) / float64(max(len(f.X), 1))
	f.X = Nonnegative(f.X)
	return f
}

func init() { register(total) }

func total() Method {
	sum := Param{Name: "total", Type: Decimal, Doc: "the public sum of all cells, in the query's unit", Example: "10000"}
	floor := nonnegativeParam()
	return Method{
		Name: "total", Params: []Param{sum, floor}, ForCounts: true,
		Doc: "returns the nearest cells that have a public sum",
		build: func(a Args) rule {
			value, _ := a.given(sum)
			return func(_ context.Context, p problem) (Fit, error) { return Total(p.y, value, a.boolean(floor)), nil }
		},
		conflict: func(a Args) *Error {
			if value, _ := a.given(sum); value < 0 && a.boolean(floor) {
				return &Error{Code: CodeBadValue, Message: "cells of at least 0 have no sum below 0",
					Hint: "remove nonnegative", Param: sum.Name}
			}
			return nil
		},
	}
}

package calibrate

import (
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The range of epsilon and delta that the functions of this package accept.
const (
	// MaxEpsilon is the largest epsilon, in nats.
	MaxEpsilon = 1e6
	// MinDelta is the least delta. Delta must also be below 1.
	MinDelta = 1e-300
)

// ArgumentError means that a function cannot accept an argument. It has two string fields. Argument is the argument's
// name, such as "epsilon" or "asks[2].weight". Reason completes the sentence "<argument> ...", such as "must be
// positive and finite, not 0".
type ArgumentError = argument.Error

// Validate returns an *ArgumentError if epsilon is outside of [0, MaxEpsilon] or delta outside of [MinDelta, 1).
func (g Guarantee) Validate() error {
	if err := g.Epsilon.Validate(); err != nil {
		return err
	}
	return g.Delta.Validate()
}

// Validate returns an *ArgumentError if epsilon is outside of [0, MaxEpsilon].
func (e Epsilon) Validate() error {
	if !(e >= 0 && e <= MaxEpsilon) {
		return argument.New("epsilon", "must be a number from 0 to %g, not %g", float64(MaxEpsilon), float64(e))
	}
	return nil
}

// Validate returns an *ArgumentError if delta is outside of [MinDelta, 1). The float64 just below the decimal 1e-300
// also passes, since ParseDown returns it for "1e-300".
func (d Delta) Validate() error {
	if !(d >= numeric.MinDelta && d < 1) {
		return argument.New("delta", "must be at least %g and below 1, not %g", MinDelta, float64(d))
	}
	return nil
}

// Validate returns an *ArgumentError if mu is not positive and finite.
func (m Mu) Validate() error { return argument.Positive("mu", float64(m)) }

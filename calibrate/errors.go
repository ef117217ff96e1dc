package calibrate

import (
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The range of guarantees that the package answers for.
const (
	// MaxEpsilon is the largest epsilon.
	MaxEpsilon = 1e6
	// MinDelta is the least delta; delta is also below 1.
	MinDelta = 1e-300
)

// ArgumentError says which argument a function cannot take, and what it must be. Argument is its name, such as
// "epsilon" or "asks[2].weight", and Reason completes the sentence "<argument> ...".
type ArgumentError = argument.Error

// Validate says whether the guarantee is one that the package answers for: epsilon in [0, MaxEpsilon], delta in
// [MinDelta, 1). The error is an *ArgumentError that names the offender.
func (g Guarantee) Validate() error {
	if err := g.Epsilon.Validate(); err != nil {
		return err
	}
	return g.Delta.Validate()
}

// Validate says whether epsilon is in [0, MaxEpsilon]; if not, the error is an *ArgumentError.
func (e Epsilon) Validate() error {
	if !(e >= 0 && e <= MaxEpsilon) {
		return argument.New("epsilon", "must be a number from 0 to %g, not %g", float64(MaxEpsilon), float64(e))
	}
	return nil
}

// Validate says whether delta is in [MinDelta, 1); if not, the error is an *ArgumentError. The float64 just below the
// decimal 1e-300 also passes, since that is what reading the decimal rounded down makes of it.
func (d Delta) Validate() error {
	if !(d >= numeric.MinDelta && d < 1) {
		return argument.New("delta", "must be at least %g and below 1, not %g", MinDelta, float64(d))
	}
	return nil
}

// Validate says whether mu is positive and finite; if not, the error is an *ArgumentError.
func (m Mu) Validate() error { return argument.Positive("mu", float64(m)) }

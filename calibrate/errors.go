package calibrate

import (
	"errors"
	"fmt"
	"math"
)

// The range of guarantees that the package answers for.
const (
	// MaxEpsilon is the largest epsilon.
	MaxEpsilon = 1e6
	// MinDelta is the least delta; delta is also below 1.
	MinDelta = 1e-300
)

// leastDelta is the largest float64 that is not above the decimal 1e-300: what ParseDown makes of it. The float64 nearest to
// 1e-300 is above.
const leastDelta = 0x1.56e1fc2f8f358p-997

// ArgumentError says which argument a function cannot take, and what it must be.
type ArgumentError struct {
	// Argument is the argument's name: "epsilon", "delta", "sensitivity", "asks[2].weight".
	Argument string
	// Reason completes the sentence "<argument> ...".
	Reason string
}

// Error is "calibrate: <argument> <reason>".
func (e *ArgumentError) Error() string { return "calibrate: " + e.Argument + " " + e.Reason }

func argument(name, format string, args ...any) error {
	return &ArgumentError{Argument: name, Reason: fmt.Sprintf(format, args...)}
}

// nested puts the path of the container before the name of the argument.
func nested(path string, err error) error {
	if inner := new(ArgumentError); errors.As(err, &inner) {
		return &ArgumentError{Argument: path + "." + inner.Argument, Reason: inner.Reason}
	}
	return err
}

// Validate says whether the guarantee is one that the package answers for: epsilon in [0, MaxEpsilon], delta in
// [MinDelta, 1). The error is an *ArgumentError that names the offender.
func (g Guarantee) Validate() error {
	if err := g.Epsilon.validate(); err != nil {
		return err
	}
	return g.Delta.validate()
}

func (e Epsilon) validate() error {
	if !(e >= 0 && e <= MaxEpsilon) {
		return argument("epsilon", "must be a number from 0 to %g, not %g", float64(MaxEpsilon), float64(e))
	}
	return nil
}

func (d Delta) validate() error {
	if !(d >= leastDelta && d < 1) {
		return argument("delta", "must be at least %g and below 1, not %g", MinDelta, float64(d))
	}
	return nil
}

func (m Mu) validate() error { return positive("mu", float64(m)) }

func positive(name string, x float64) error {
	if !(x > 0 && x <= math.MaxFloat64) {
		return argument(name, "must be positive and finite, not %g", x)
	}
	return nil
}

// powerOfTwo wants a positive finite power of two.
func powerOfTwo(name string, x float64) error {
	if f, _ := math.Frexp(x); f != 0.5 || math.IsInf(x, 0) {
		return argument(name, "must be a power of two, not %g", x)
	}
	return nil
}

// Package argument has the error type of calibrate and calibrate/methods, and checks of single arguments.
package argument

import (
	"errors"
	"fmt"
	"math"
)

// Error means that a function cannot accept an argument.
type Error struct {
	// Argument is the argument's name: "epsilon", "delta", "sensitivity", "asks[2].weight".
	Argument string
	// Reason completes the sentence "<argument> ...".
	Reason string
}

// Error returns "calibrate: <argument> <reason>".
func (e *Error) Error() string { return "calibrate: " + e.Argument + " " + e.Reason }

// New returns an *Error with a formatted reason.
func New(name, format string, args ...any) error {
	return &Error{Argument: name, Reason: fmt.Sprintf(format, args...)}
}

// In puts path, the name of the argument's container, before the argument's name. If err is not an *Error, In returns
// it unchanged.
func In(path string, err error) error {
	if inner := new(Error); errors.As(err, &inner) {
		return &Error{Argument: path + "." + inner.Argument, Reason: inner.Reason}
	}
	return err
}

// Positive returns an *Error about the named argument if x is not positive and finite.
func Positive(name string, x float64) error {
	if !(x > 0 && x <= math.MaxFloat64) {
		return New(name, "must be positive and finite, not %g", x)
	}
	return nil
}

// PowerOfTwo returns an *Error about the named argument if x is not a finite power of two.
func PowerOfTwo(name string, x float64) error {
	if f, _ := math.Frexp(x); f != 0.5 || math.IsInf(x, 0) {
		return New(name, "must be a power of two, not %g", x)
	}
	return nil
}

// Finite returns an *Error about the named argument if x is NaN or infinite.
func Finite(name string, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return New(name, "must be finite, not %g", x)
	}
	return nil
}

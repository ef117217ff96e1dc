// Package argument has the errors of calibrate and calibrate/methods: which argument a function cannot take, and what
// it must be.
package argument

import (
	"errors"
	"fmt"
	"math"
)

// Error says which argument a function cannot take, and what it must be.
type Error struct {
	// Argument is the argument's name: "epsilon", "delta", "sensitivity", "asks[2].weight".
	Argument string
	// Reason completes the sentence "<argument> ...".
	Reason string
}

// Error is "calibrate: <argument> <reason>".
func (e *Error) Error() string { return "calibrate: " + e.Argument + " " + e.Reason }

// New is an *Error with a formatted reason.
func New(name, format string, args ...any) error {
	return &Error{Argument: name, Reason: fmt.Sprintf(format, args...)}
}

// In puts the path of the container before the name of the argument.
func In(path string, err error) error {
	if inner := new(Error); errors.As(err, &inner) {
		return &Error{Argument: path + "." + inner.Argument, Reason: inner.Reason}
	}
	return err
}

// Positive wants a positive finite number.
func Positive(name string, x float64) error {
	if !(x > 0 && x <= math.MaxFloat64) {
		return New(name, "must be positive and finite, not %g", x)
	}
	return nil
}

// PowerOfTwo wants a positive finite power of two.
func PowerOfTwo(name string, x float64) error {
	if f, _ := math.Frexp(x); f != 0.5 || math.IsInf(x, 0) {
		return New(name, "must be a power of two, not %g", x)
	}
	return nil
}

// Finite wants a finite number.
func Finite(name string, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return New(name, "must be finite, not %g", x)
	}
	return nil
}

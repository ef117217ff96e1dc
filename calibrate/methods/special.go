package methods

import (
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Special functions in float64, for users of the package. No guarantee rests on them: bounds are evaluated in extended
// precision, in package numeric.

// LogErfc is the natural logarithm of erfc(x), within 2^-50, relative, also if erfc itself is below every float64.
// Errors are *ArgumentError: x is NaN or infinite, or above 1.3e154, if the result would be below every float64.
func LogErfc(x float64) (float64, error) {
	if err := argument.Finite("x", x); err != nil {
		return 0, err
	}
	if x > 1.3e154 {
		return 0, argument.New("x", "= %g has an erfc whose logarithm is below the least float64", x)
	}
	return numeric.LogErfc(x), nil
}

// InvErfc is x with erfc(x) = p, the nearest float64 or a neighbour: also if p is very small, or near 1 or 2. Errors
// are *ArgumentError: p is not in (0, 2).
func InvErfc(p float64) (float64, error) {
	if !(p > 0 && p < 2) {
		return 0, argument.New("p", "must be above 0 and below 2, not %g", p)
	}
	return numeric.NearestFloat(numeric.BigInvErfc(numeric.BigOf(p))), nil
}

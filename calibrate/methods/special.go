package methods

import (
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Special functions in float64, for users of the package. No guarantee depends on them: package numeric evaluates
// bounds in extended precision.

// logErfc returns the natural logarithm of erfc(x), with a relative error below 2^-50, even if erfc(x) is below every
// float64. Errors are *ArgumentError: "x" if it is NaN, infinite, or so large (1.3e154) that the result would be below
// every float64.
func logErfc(x float64) (float64, error) {
	if err := argument.Finite("x", x); err != nil {
		return 0, err
	}
	if x > 1.3e154 {
		return 0, argument.New("x", "= %g has an erfc whose logarithm is below the least float64", x)
	}
	return numeric.LogErfc(x), nil
}

// InvErfc returns the x with erfc(x) = p, as the nearest float64 or a neighbour of it, even if p is tiny or near 1 or
// 2. Errors are *ArgumentError: "p" outside of (0, 2).
func InvErfc(p float64) (float64, error) {
	if !(p > 0 && p < 2) {
		return 0, argument.New("p", "must be above 0 and below 2, not %g", p)
	}
	return numeric.NearestFloat(numeric.BigInvErfc(numeric.BigOf(p))), nil
}

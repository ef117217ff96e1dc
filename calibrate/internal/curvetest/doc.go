// Package curvetest supports the tests of package calibrate, its numerics and its methods. It has an independent
// evaluation of the curve (oracle.go), points of the curve at which tests compare, numbers that often reveal bugs, and
// comparisons with tables of reference values.
package curvetest

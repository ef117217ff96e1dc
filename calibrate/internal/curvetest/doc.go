// Package curvetest supports the tests of package calibrate, its numerics and its methods. It has an independent
// evaluation of the curve (oracle.go), points to compare at, odd numbers, and comparisons with tables of reference
// values.
package curvetest

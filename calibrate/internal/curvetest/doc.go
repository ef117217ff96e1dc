// Package curvetest helps the tests of package calibrate, of its numerics and of its methods: an independent evaluation
// of the curve (oracle.go), points to compare at, odd numbers, and comparisons with tables of reference values.
package curvetest

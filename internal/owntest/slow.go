package owntest

import (
	"flag"
	"os"
	"testing"
)

// Slow skips a test that takes a second or more of processor time, so that go test ./... is quick. make check runs it.
// Files of tests that are few for the time it takes to compile and link them, such as those of the examples, have the
// build constraint check instead: make check runs go test -tags check.
func Slow(t *testing.T) {
	t.Helper()
	if !Checking() {
		t.Skip("takes long: make check runs it")
	}
}

// DrawLess has pgregory.net/rapid draw a quarter of its usual cases, so that go test ./... is quick. make check draws all,
// and so does the flag -rapid.checks=100. A package calls it when its tests begin.
func DrawLess() {
	if !Checking() {
		_ = flag.Set("rapid.checks", "25") // no error: the package's tests import rapid
	}
}

// Checking reports whether make check or make check-long runs the tests.
func Checking() bool { return os.Getenv("DPRELEASE_CHECK") != "" || os.Getenv("DPRELEASE_LONG") != "" }

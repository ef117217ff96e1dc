package owntest

import (
	"os"
	"testing"
)

// Slow skips a test that takes a second or more of processor time, so that go test ./... is quick. make check runs it.
// Test files that take long to compile and link have the build constraint check instead: go test -tags check compiles
// them. Those of the examples do.
func Slow(t *testing.T) {
	t.Helper()
	if !Checking() {
		t.Skip("takes long: make check runs it")
	}
}

// Checking reports whether make check or make check-long runs the tests.
func Checking() bool { return os.Getenv("DPRELEASE_CHECK") != "" || os.Getenv("DPRELEASE_LONG") != "" }

// Package owntest decides what tests may do. Guard detects whether the program is a test of this module: some helpers
// for tests show hidden values, or charge a ledger that is not kept. They call Guard first, since other modules can
// import the packages that hold these helpers, and can make test binaries. Slow skips long tests unless make check
// runs.
package owntest

import (
	"runtime/debug"
	"strings"
	"testing"
)

// module is the path of this module; the paths of all its packages begin with it.
const module = "github.com/dprelease/dprelease"

// Guard fails the test, and returns false, if the program is not the test binary of a package of this module.
func Guard(tb testing.TB) bool {
	tb.Helper()
	info, ok := debug.ReadBuildInfo()
	return guard(tb, ok && testing.Testing() && ours(info.Path))
}

// ours reports whether path, the package path in the program's build information, belongs to this module. For the test
// of a main package it is the path itself; for other tests it has .test appended.
func ours(path string) bool {
	rest, ok := strings.CutPrefix(path, module)
	return ok && (rest == ".test" || strings.HasPrefix(rest, "/"))
}

func guard(tb testing.TB, allowed bool) bool {
	tb.Helper()
	if !allowed {
		tb.Fatalf("a helper of tests is used outside the tests of %s", module)
	}
	return allowed
}

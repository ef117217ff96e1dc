// Package owntest tells the tests of this module from all other programs. Helpers of tests that look behind the trust
// boundary, or charge no ledger that lasts, ask it first: programs of other modules can import packages that use such
// helpers, and can make test binaries.
package owntest

import (
	"runtime/debug"
	"strings"
	"testing"
)

// module is the path of this module; the paths of all its packages begin with it.
const module = "github.com/dprelease/dprelease"

// Guard fails the test if the program is not the test binary of a package of this module. It also returns the verdict,
// in case tb continues.
func Guard(tb testing.TB) bool {
	tb.Helper()
	info, ok := debug.ReadBuildInfo()
	return guard(tb, ok && testing.Testing() && ours(info.Path))
}

// ours reports whether path is a package of this module, or its test binary: go test records the path of a main package
// unchanged, and the path of any other package with .test appended.
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

package selftest

import (
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// selftester is the verb: where it writes, and what the running program says that it is.
type selftester struct {
	*console.Console
	program func() manifest.Program
}

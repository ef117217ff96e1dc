package selftest

import (
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// selftester is the verb selftest, with its console and the description of the running program.
type selftester struct {
	*console.Console
	program func() manifest.Program
}

package selftest

import (
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// selftester holds what the verb selftest needs: its console, and a function that describes this program.
type selftester struct {
	*console.Console
	program func() manifest.Program
}

package verb

import (
	"fmt"
	"os"

	dpbeam "github.com/dprelease/dprelease/full/beam"
)

// The exit codes of the command release.
const (
	exitUsage    = 2
	exitInput    = 3
	exitInternal = 70
)

var errNoKey = fmt.Errorf("the variable %s holds no key of a run: release aggregate JOB --new-key FILE makes one",
	dpbeam.KeyVariable)

// report prints an error and returns the exit code.
func report(code int, err error) int {
	fmt.Fprintf(os.Stderr, "error: %v\n", err)
	return code
}

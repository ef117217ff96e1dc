package jobs

import "github.com/dprelease/dprelease/cmd/release/internal/console"

// largeDelta is the delta above which the program warns that the guarantee promises little. It does not refuse the job.
const largeDelta = 1e-4

// WarnOfDelta warns on stderr if delta is large. stated is delta as the user wrote it.
func WarnOfDelta(c *console.Console, stated string, delta float64) {
	if delta > largeDelta {
		c.Warn("privacy.delta is " + console.OneLine(stated) + ": above 1/10,000 the rows of some units may be published " +
			"as they are; choose it far below 1 / number of units, such as 1e-6")
	}
}

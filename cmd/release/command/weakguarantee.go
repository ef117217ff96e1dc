package command

import (
	"fmt"

	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/pipeline"
)

// largeEpsilon is the epsilon above which the program warns that the guarantee promises little. It does not refuse the
// job.
const largeEpsilon = 10

// warnOfLittle warns on stderr if the guarantee of a plan protects little.
func (a *app) warnOfLittle(p *pipeline.Plan) {
	g := p.Guarantee()
	if g.Epsilon > largeEpsilon {
		a.Warn(fmt.Sprintf("privacy.epsilon is %s: above %d a release may tell almost everything about a unit; common "+
			"values are 0.1 to 3",
			p.Job().Privacy.Epsilon, largeEpsilon))
	}
	if p.Job().Privacy.FloatUnit == "allow" {
		a.Warn("privacy.float_unit is allow: identifiers that were rounded to the same floating-point number are one unit, " +
			"and protected together as one")
	}
	jobs.WarnOfDelta(a.Console, string(p.Job().Privacy.Delta), float64(g.Delta))
}

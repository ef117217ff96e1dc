package command

import (
	"fmt"

	"github.com/dprelease/dprelease/pipeline"
)

// Above this epsilon or this delta, the program warns that the guarantee promises little. It does not refuse the job.
const (
	largeEpsilon = 10
	largeDelta   = 1e-4
)

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
	if g.Delta > largeDelta {
		a.Warn(fmt.Sprintf("privacy.delta is %s: above 1/10,000 the rows of some units may be published as they "+
			"are; choose it far below 1 / number of units, such as 1e-6",
			p.Job().Privacy.Delta))
	}
}

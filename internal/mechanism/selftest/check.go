package selftest

import "math"

// alarm is the probability that a group of checks fails although nothing is wrong. There are two groups: the checks of
// the sampler and the checks of the audit.
const alarm = 1e-9 / 2

// maxChecks is the largest number of checks in a group. Each check may fail by chance with probability alarm/maxChecks.
const maxChecks = 32

// Check is the outcome of one check.
type Check struct {
	// Name describes the check.
	Name string `json:"name"`
	// Measure names the statistic.
	Measure string `json:"measure"`
	// Samples is the number of noisy numbers, or of reference values, from which the statistic is computed.
	Samples   int     `json:"samples"`
	Statistic float64 `json:"statistic"`
	// Threshold is the largest statistic that passes.
	Threshold float64 `json:"threshold"`
	Pass      bool    `json:"pass"`
}

// judged returns c with Pass set. A statistic that is NaN or infinite fails, and is replaced by the largest float64.
func (c Check) judged() Check {
	if math.IsNaN(c.Statistic) || math.IsInf(c.Statistic, 0) {
		c.Statistic = math.MaxFloat64
	}
	c.Pass = c.Statistic <= c.Threshold
	return c
}

// Failed returns the number of checks that did not pass.
func Failed(checks []Check) (n int) {
	for _, c := range checks {
		if !c.Pass {
			n++
		}
	}
	return n
}

package selftest

import "math"

// alarm is the probability that a group of checks (the sampler's, the audit's) fails although nothing is wrong.
const alarm = 1e-9 / 2

// maxChecks is the largest number of checks of a group. Each check has an equal share of the alarm.
const maxChecks = 32

// Check is the outcome of one check.
type Check struct {
	// Name describes the check.
	Name string `json:"name"`
	// Measure names the statistic.
	Measure string `json:"measure"`
	// Samples is the number of noisy numbers, or known answers, from which the statistic is computed.
	Samples   int     `json:"samples"`
	Statistic float64 `json:"statistic"`
	// Threshold is the largest statistic that passes.
	Threshold float64 `json:"threshold"`
	Pass      bool    `json:"pass"`
}

// judged returns c with its verdict. A statistic that is not a number fails, and is shown as the largest float64.
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

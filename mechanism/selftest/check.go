package selftest

import "math"

// alarm is the probability that a group of checks (the sampler's, the audit's) fails although nothing is wrong.
const alarm = 1e-9 / 2

// maxChecks is the most checks that a group has; each has its share of the alarm.
const maxChecks = 32

// Check is the outcome of one check.
type Check struct {
	// Name says what was checked.
	Name string `json:"name"`
	// Measure says what the statistic is.
	Measure string `json:"measure"`
	// Samples is how many noisy numbers, or known answers, the statistic is computed from.
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

// Failed returns how many checks did not pass.
func Failed(checks []Check) (n int) {
	for _, c := range checks {
		if !c.Pass {
			n++
		}
	}
	return n
}

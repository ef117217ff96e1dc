package manifest

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
)

// gaussian is the distribution of all noise that this version draws.
const gaussian = "Gaussian"

// MechanismName is the name of a mechanism in the ledger: the query's, and after a slash the component's if it has one.
func MechanismName(query, component string) string {
	if component == "" {
		return query
	}
	return query + "/" + component
}

// MechanismOf states a mechanism of a query's component.
func MechanismOf(component string, m calibrate.Mechanism) Mechanism {
	return Mechanism{
		Component: component, Noise: gaussian, Sensitivity: Sensitivity{L2: m.Sens.L2, Why: m.Sens.Why}, Sigma: float64(m.Sigma), Grid: m.Grid,
		StandardDeviation: m.Deviation(), Mu: float64(m.Mu()),
	}
}

// calibrated is the mechanism that is stated, under its name in the ledger.
func (m *Mechanism) calibrated(query string) calibrate.Mechanism {
	return calibrate.Mechanism{
		Query: MechanismName(query, m.Component), Sigma: calibrate.Sigma(m.Sigma), Grid: m.Grid,
		Sens: calibrate.Sensitivity{L2: m.Sensitivity.L2, Why: m.Sensitivity.Why},
	}
}

// Calibrated returns the mechanisms of the query, as the ledger names them.
func (q *Query) Calibrated() (out []calibrate.Mechanism) {
	for i := range q.Mechanisms {
		out = append(out, q.Mechanisms[i].calibrated(q.Name))
	}
	return out
}

// Mechanisms returns the mechanisms that the manifest states, in order, as the ledger names them.
func (m *Manifest) Mechanisms() (out []calibrate.Mechanism) {
	for i := range m.Queries {
		out = append(out, m.Queries[i].Calibrated()...)
	}
	return out
}

// Scaled turns a number in the unit of the first mechanism into the unit of the answer, rounded up.
func (q *Query) Scaled(x float64) float64 {
	if q.Scale == 0 || q.Scale == 1 {
		return x
	}
	return math.Nextafter(x*q.Scale, math.Inf(1))
}

// Deviation returns the standard deviation of a noisy cell in the unit of the answer; of the first mechanism if there are several.
func (q *Query) Deviation() float64 { return q.Scaled(q.Mechanisms[0].StandardDeviation) }

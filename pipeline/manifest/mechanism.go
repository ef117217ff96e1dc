package manifest

import (
	"math"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Gaussian is the name of the usual distribution of noise; package calibrate defines the other names.
const Gaussian = "Gaussian"

// MechanismName returns the name of a mechanism in the ledger: the query's name, followed by a slash and the
// component's name if it has one, as in "mean/sum".
func MechanismName(query, component string) string {
	if component == "" {
		return query
	}
	return query + "/" + component
}

// MechanismOf converts the mechanism of a query's component to its form in the manifest.
func MechanismOf(component string, m calibrate.Mechanism) Mechanism {
	_, follows, _ := strings.Cut(m.ChosenBy, "/")
	out := Mechanism{
		Follows:   follows,
		Component: component, Noise: Gaussian, Sensitivity: Sensitivity{L2: m.Sens.L2,
			Why: m.Sens.Why}, Sigma: float64(m.Sigma), Grid: m.Grid,
		StandardDeviation: m.Deviation(), Mu: float64(m.Mu()),
	}
	if m.Noise != calibrate.Gaussian {
		out.Noise, out.Scale = string(m.Noise), m.Scale
		out.Sensitivity = Sensitivity{L1: m.Sens.L2, Why: m.Sens.Why}
	}
	return out
}

// calibrated converts a mechanism back to package calibrate's form, with its name in the ledger.
func (m *Mechanism) calibrated(query string) calibrate.Mechanism {
	after := ""
	if m.Follows != "" {
		after = MechanismName(query, m.Follows)
	}
	out := calibrate.Mechanism{
		ChosenBy: after,
		Query:    MechanismName(query, m.Component), Sigma: calibrate.Sigma(m.Sigma), Grid: m.Grid,
		Sens: calibrate.Sensitivity{L2: m.Sensitivity.Norm(), Why: m.Sensitivity.Why},
	}
	if m.Noise != Gaussian {
		out.Noise, out.Scale = calibrate.Distribution(m.Noise), m.Scale
	}
	return out
}

// Norm returns the sensitivity: L1 or L2, whichever is set.
func (s Sensitivity) Norm() float64 { return max(s.L1, s.L2) }

// halfWidth returns the half-width of the 95 % interval of a cell, for a query with one mechanism.
func (q *Query) halfWidth() float64 {
	if m := q.Mechanisms[0].calibrated(q.Name); m.Noise != calibrate.Gaussian {
		return q.Scaled(m.HalfWidth())
	}
	return calibrate.Z95 * q.Deviation()
}

// Calibrated returns the mechanisms of the query with their names in the ledger.
func (q *Query) Calibrated() (out []calibrate.Mechanism) {
	for i := range q.Mechanisms {
		m := q.Mechanisms[i].calibrated(q.Name)
		if m.ChosenBy != "" {
			m.RuleVersion = q.searchRuleVersion()
		}
		out = append(out, m)
	}
	if m := q.searchMechanism(); m != nil {
		out = append(out, m.calibrated(q.Name))
	}
	return out
}

// Mechanisms returns the mechanisms in the manifest, in order, with their names in the ledger.
func (m *Manifest) Mechanisms() (out []calibrate.Mechanism) {
	for i := range m.Queries {
		out = append(out, m.Queries[i].Calibrated()...)
	}
	return out
}

// Charged returns all mechanisms as they were charged, in order; nil if some query does not state them.
func (m *Manifest) Charged() (out []calibrate.Mechanism) {
	for i := range m.Queries {
		charged := m.Queries[i].Charged()
		if charged == nil {
			return nil
		}
		out = append(out, charged...)
	}
	return out
}

// Scaled converts a number from the unit of the first mechanism to the unit of the answer, rounded up.
func (q *Query) Scaled(x float64) float64 {
	if q.Scale == 0 || q.Scale == 1 {
		return x
	}
	return math.Nextafter(x*q.Scale, math.Inf(1))
}

// Deviation returns the standard deviation of a noisy cell, in the unit of the answer. If there are several mechanisms,
// it is the first one's.
func (q *Query) Deviation() float64 { return q.Scaled(q.Mechanisms[0].StandardDeviation) }

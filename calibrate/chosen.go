package calibrate

import (
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Mechanisms whose sensitivity is chosen on the way
//
// A clamp may be chosen from the noisy answer of an earlier mechanism of the same release. The mechanism that uses it
// is charged beforehand, with the largest sensitivity that may be chosen, and so with a mu. What is drawn has the
// chosen sensitivity and a sigma that is smaller in proportion: the same mu, whatever was chosen. Squares of mu add up
// also if mechanisms are chosen from earlier answers.

// Chosen returns the mechanism that is drawn if m was charged and a sensitivity of at most m's was chosen from the
// answer of the mechanism m.After: its mu is at most m's, exactly. The quantum and the row bound are those of the
// function Grid. Errors are *ArgumentError: "mechanism" if m follows no other; "sensitivity" if it is not positive or
// above m's; those of Grid.
func (m Mechanism) Chosen(s Sensitivity, quantum, rowBound float64) (Mechanism, error) {
	if err := m.Validate(); err != nil {
		return Mechanism{}, err
	}
	if m.After == "" {
		return Mechanism{}, argument.New("mechanism", "has a fixed sensitivity")
	}
	if !(s.L2 > 0 && s.L2 <= m.Sens.L2) {
		return Mechanism{}, argument.New("sensitivity", "= %g must be above 0 and at most the charged %g", s.L2, m.Sens.L2)
	}
	sigma := numeric.NewUp().Mul(numeric.UpOf(s.L2), numeric.UpOf(float64(m.Sigma)))
	out := m
	out.Sens, out.Sigma = s, Sigma(numeric.Ceiling(sigma.Quo(sigma, numeric.UpOf(m.Sens.L2))))
	grid, err := Grid(out.Sigma, quantum, rowBound)
	if err != nil {
		return Mechanism{}, err
	}
	out.Grid = grid
	if !out.Within(m) {
		return Mechanism{}, argument.New("sensitivity", "= %g: sigma cannot be rounded up", s.L2)
	}
	return out, nil
}

// Within says whether m is what may be drawn of a mechanism that was charged: the same, but for the name and the
// argument for its sensitivity; or, if the charged one follows another, with any smaller sensitivity, a sigma for which
// mu is not larger, and any grid.
func (m Mechanism) Within(charged Mechanism) bool {
	m.Query, charged.Query = "", ""
	m.Sens.Why, charged.Sens.Why = "", ""
	if charged.After == "" || m.After != charged.After {
		return m == charged
	}
	if m.Validate() != nil || argument.PowerOfTwo("grid", m.Grid) != nil || !(m.Sens.L2 <= charged.Sens.L2) {
		return false
	}
	if cross(m.Sens.L2, float64(charged.Sigma)).Cmp(cross(charged.Sens.L2, float64(m.Sigma))) > 0 {
		return false
	}
	m.Sens, m.Sigma, m.Grid = charged.Sens, charged.Sigma, charged.Grid
	return m == charged
}

// cross is the exact product of two finite numbers.
func cross(a, b float64) *big.Rat {
	x, y := new(big.Rat), new(big.Rat)
	x.SetFloat64(a)
	y.SetFloat64(b)
	return x.Mul(x, y)
}

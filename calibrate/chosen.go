package calibrate

import (
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Mechanisms whose sensitivity is chosen from an earlier noisy answer
//
// A clamp can be chosen from the noisy answer of an earlier mechanism of the same release. The mechanism that uses the
// clamp is charged before the choice, with the largest sensitivity that can be chosen. This charge fixes its mu. When
// the clamp is chosen, sigma is reduced in proportion to the sensitivity, so mu is the same for every choice. The sum
// of mu² is the cost of a release even if mechanisms are chosen from earlier answers.

// Chosen returns the mechanism whose noise is drawn if m was charged, and the sensitivity s was then chosen from the
// answer of the mechanism m.ChosenBy. Its mu is at most m's mu, exactly. quantum and rowBound are the arguments of the
// function Grid. Errors are *ArgumentError: "mechanism" if m.ChosenBy is empty; "sensitivity" if s is not positive or
// exceeds m's sensitivity; and the errors of Grid.
func (m Mechanism) Chosen(s Sensitivity, quantum, rowBound float64) (Mechanism, error) {
	if err := m.Validate(); err != nil {
		return Mechanism{}, err
	}
	if m.ChosenBy == "" {
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

// Within reports whether noise of m may be drawn if the budget was charged for the mechanism charged. The two may
// differ in their names and in the reasons for their sensitivity. If the charged sensitivity is fixed, everything else
// must be equal. If it is chosen from another mechanism's answer, m may have a smaller sensitivity, any grid, and any
// sigma with which its mu is at most the charged mu.
func (m Mechanism) Within(charged Mechanism) bool {
	m.Query, charged.Query = "", ""
	m.Sens.Why, charged.Sens.Why = "", ""
	if charged.ChosenBy == "" || m.ChosenBy != charged.ChosenBy {
		return m == charged
	}
	if m.Validate() != nil || argument.PowerOfTwo("grid", m.Grid) != nil || !(m.Sens.L2 <= charged.Sens.L2) {
		return false
	}
	if exactProduct(m.Sens.L2, float64(charged.Sigma)).Cmp(exactProduct(charged.Sens.L2, float64(m.Sigma))) > 0 {
		return false
	}
	m.Sens, m.Sigma, m.Grid = charged.Sens, charged.Sigma, charged.Grid
	return m == charged
}

// exactProduct returns the exact product of two finite numbers.
func exactProduct(a, b float64) *big.Rat {
	x, y := new(big.Rat), new(big.Rat)
	x.SetFloat64(a)
	y.SetFloat64(b)
	return x.Mul(x, y)
}

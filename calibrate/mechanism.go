package calibrate

import (
	"math"
	"math/big"
)

// Mu is the Gaussian-DP parameter of the mechanism, L2 sensitivity over sigma, rounded up. It is +Inf if either is not
// positive and finite: no budget holds such a mechanism.
func (m Mechanism) Mu() Mu {
	if m.validate() != nil {
		return Mu(math.Inf(1))
	}
	return Mu(ceiling(m.ratio()))
}

// Sigma is the least float64 sigma at which Gaussian noise on a query of this sensitivity has a parameter of at most m, in the unit of
// s.L2. Errors are *ArgumentError: "mu", "sensitivity", also if sigma would be above the largest float64.
func (m Mu) Sigma(s Sensitivity) (Sigma, error) {
	if err := m.validate(); err != nil {
		return 0, err
	}
	if err := positive("sensitivity", s.L2); err != nil {
		return 0, err
	}
	sigma := ceiling(newUp().Quo(upOf(s.L2), upOf(float64(m))))
	if math.IsInf(sigma, 0) {
		return 0, argument("sensitivity", "= %g needs a sigma above the largest float64", s.L2)
	}
	return Sigma(sigma), nil
}

// Delta is the least float64 for which the mechanism is proven to be (eps, delta)-differentially private: GaussianDelta
// at exactly L2 over sigma, which a Mu could only hold rounded. Errors are *ArgumentError: eps, sensitivity, sigma.
func (m Mechanism) Delta(eps Epsilon) (Delta, error) {
	if err := m.validate(); err != nil {
		return 0, err
	}
	return deltaOf(eps, quotient{m.Sens.L2, float64(m.Sigma)})
}

// Epsilon is the least float64 at which the mechanism is proven to be (epsilon, delta)-differentially private:
// GaussianEpsilon at exactly L2 over sigma, which a Mu could only hold rounded. Errors are *ArgumentError: delta,
// sensitivity, sigma; mu if epsilon would be above MaxEpsilon.
func (m Mechanism) Epsilon(delta Delta) (Epsilon, error) {
	if err := m.validate(); err != nil {
		return 0, err
	}
	return epsilonOf(delta, quotient{m.Sens.L2, float64(m.Sigma)})
}

// ratio is L2 over sigma, rounded up to 256 bits. Both are positive and finite.
func (m Mechanism) ratio() *big.Float {
	return newUp().Quo(upOf(m.Sens.L2), upOf(float64(m.Sigma)))
}

// validate checks what mu depends on.
func (m Mechanism) validate() error {
	if err := positive("sensitivity", m.Sens.L2); err != nil {
		return err
	}
	return positive("sigma", float64(m.Sigma))
}

// Deviation is the standard deviation to publish, in the query's unit: sqrt(sigma² + grid²/12), the noise's and that of
// rounding to the grid, rounded up to the next float64. It is +Inf if sigma is not positive and finite or the grid is
// negative or not finite.
func (m Mechanism) Deviation() float64 {
	sigma, grid := float64(m.Sigma), m.Grid
	if positive("sigma", sigma) != nil || !(grid >= 0 && grid <= math.MaxFloat64) {
		return math.Inf(1)
	}
	rounding := upOf(grid)
	rounding.Mul(rounding, rounding)
	rounding.Quo(rounding, upOf(12))
	noise := upOf(sigma)
	noise.Mul(noise, noise)
	return rootCeiling(noise.Add(noise, rounding))
}

// Covers says whether mechanisms whose squares of mu sum to mu2 fit into a budget of m: whether mu2 <= m², exactly.
// Nothing fits if m is negative or not finite, or mu2 is nil.
func (m Mu) Covers(mu2 *big.Float) bool {
	if mu2 == nil || !(m >= 0 && m <= math.MaxFloat64) {
		return false
	}
	return covers(float64(m), mu2)
}

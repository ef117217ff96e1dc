package calibrate

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Mu returns the Gaussian-DP parameter of the mechanism, L2 sensitivity divided by sigma, rounded up. It is +Inf if the
// mechanism is not valid, so that no budget accepts it.
func (m Mechanism) Mu() Mu {
	if m.Validate() != nil {
		return Mu(math.Inf(1))
	}
	return Mu(numeric.Ceiling(m.ratio()))
}

// Sigma returns the least float64 sigma with which Gaussian noise on a query of sensitivity s has a mu of at most m. It
// is in the unit of s.L2. Errors are *ArgumentError: "mu"; "sensitivity" if it is not positive and finite, or if sigma
// would be above the largest float64.
func (m Mu) Sigma(s Sensitivity) (Sigma, error) {
	if err := m.Validate(); err != nil {
		return 0, err
	}
	if err := argument.Positive("sensitivity", s.L2); err != nil {
		return 0, err
	}
	sigma := numeric.Ceiling(numeric.NewUp().Quo(numeric.UpOf(s.L2), numeric.UpOf(float64(m))))
	if math.IsInf(sigma, 0) {
		return 0, argument.New("sensitivity", "= %g needs a sigma above the largest float64", s.L2)
	}
	return Sigma(sigma), nil
}

// Delta returns the least float64 delta for which the mechanism is proven to be (eps, delta)-differentially private. It
// uses the exact quotient of L2 and sigma, so it can be tighter than GaussianDelta, whose mu is rounded. Errors are
// *ArgumentError: "epsilon", "sensitivity", "sigma".
func (m Mechanism) Delta(eps Epsilon) (Delta, error) {
	if err := m.Validate(); err != nil {
		return 0, err
	}
	return deltaAt(eps, numeric.Quotient{Num: m.Sens.L2, Den: float64(m.Sigma)})
}

// Epsilon returns the least float64 epsilon, in nats, for which the mechanism is proven to be (epsilon,
// delta)-differentially private. It uses the exact quotient of L2 and sigma, so it can be tighter than GaussianEpsilon,
// whose mu is rounded. Errors are *ArgumentError: "delta", "sensitivity", "sigma"; "mu" if epsilon would be above
// MaxEpsilon.
func (m Mechanism) Epsilon(delta Delta) (Epsilon, error) {
	if err := m.Validate(); err != nil {
		return 0, err
	}
	return epsilonAt(delta, numeric.Quotient{Num: m.Sens.L2, Den: float64(m.Sigma)})
}

// ratio returns L2 divided by sigma, rounded up to 256 bits. Both must be positive and finite.
func (m Mechanism) ratio() *big.Float {
	return numeric.NewUp().Quo(numeric.UpOf(m.Sens.L2), numeric.UpOf(float64(m.Sigma)))
}

// Validate returns an *ArgumentError if the sensitivity or sigma is not positive and finite, if the distribution of the
// noise is unknown, if Gaussian noise has a scale, or if the sigma of other noise is too large for its epsilon (see
// Pure.Mechanism).
func (m Mechanism) Validate() error {
	if err := argument.Positive("sensitivity", m.Sens.L2); err != nil {
		return err
	}
	if err := argument.Positive("sigma", float64(m.Sigma)); err != nil {
		return err
	}
	return m.checkNoise()
}

// Deviation returns the standard deviation to publish, in the query's unit, rounded up. For Gaussian noise it is
// sqrt(sigma² + grid²/12), which includes the rounding to the grid. It is +Inf if sigma, or the scale of other noise,
// is not positive and finite, or if the grid is negative or not finite.
func (m Mechanism) Deviation() float64 {
	if m.Noise != Gaussian {
		return m.pureDeviation()
	}
	sigma, grid := float64(m.Sigma), m.Grid
	if argument.Positive("sigma", sigma) != nil || !(grid >= 0 && grid <= math.MaxFloat64) {
		return math.Inf(1)
	}
	rounding := numeric.UpOf(grid)
	rounding.Mul(rounding, rounding)
	rounding.Quo(rounding, numeric.UpOf(12))
	noise := numeric.UpOf(sigma)
	noise.Mul(noise, noise)
	return numeric.RootCeiling(noise.Add(noise, rounding))
}

// Covers reports whether a budget of m has room for mechanisms whose mu² add up to mu2, that is, whether mu2 <= m²,
// exactly. It returns false if m is negative or not finite, or if mu2 is nil.
func (m Mu) Covers(mu2 *big.Float) bool {
	if mu2 == nil || !(m >= 0 && m <= math.MaxFloat64) {
		return false
	}
	return numeric.SquareCovers(float64(m), mu2)
}

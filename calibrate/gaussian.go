package calibrate

import (
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The curve of the Gaussian mechanism. With mu = L2 sensitivity / sigma, the mechanism is (eps, delta)-differentially
// private if and only if delta is at least
//
//	delta(eps) = Phi(mu/2 - eps/mu) - e^eps·Phi(-mu/2 - eps/mu)
//
// (Balle & Wang 2018, Theorem 8). Each function here solves this equation for one of its three numbers: delta, eps or
// mu. The answer is the tightest float64 that is proven to be safe. Package numeric has the evaluation and the proofs.

// GaussianDelta returns the least float64 delta for which the Gaussian mechanism with parameter mu is proven to be
// (eps, delta)-differentially private. It is at least 5e-324, and is 1 if no smaller float64 is proven. Errors are
// *ArgumentError: "epsilon" outside of [0, MaxEpsilon]; "mu" if it is not positive and finite. If mu is a quotient that
// no float64 equals, Mechanism.Delta is tighter.
func GaussianDelta(eps Epsilon, mu Mu) (Delta, error) {
	if err := mu.Validate(); err != nil {
		return 0, err
	}
	return deltaAt(eps, numeric.Quotient{Num: float64(mu), Den: 1})
}

// GaussianEpsilon returns the least float64 eps >= 0, in nats, for which the Gaussian mechanism with parameter mu is
// proven to be (eps, delta)-differentially private. It is never below the exact value. Errors are *ArgumentError:
// "delta" outside of [MinDelta, 1); "mu" if it is not positive and finite, or so large that eps would be above
// MaxEpsilon. If mu is a quotient that no float64 equals, Mechanism.Epsilon is tighter.
func GaussianEpsilon(delta Delta, mu Mu) (Epsilon, error) {
	if err := mu.Validate(); err != nil {
		return 0, err
	}
	return epsilonAt(delta, numeric.Quotient{Num: float64(mu), Den: 1})
}

// GaussianMu returns the largest float64 mu for which the Gaussian mechanism is proven to satisfy g. It is never above
// the exact value. A budget of (epsilon, delta) has room for mechanisms if the sum of their mu² is at most the square
// of this mu. Errors are *ArgumentError; see Guarantee.Validate.
func GaussianMu(g Guarantee) (Mu, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	return Mu(numeric.LargestMu(float64(g.Epsilon), float64(g.Delta))), nil
}

// AnalyticGaussian returns the least float64 sigma for which Gaussian noise on a query of L2 sensitivity s.L2 is proven
// to be (epsilon, delta)-differentially private (Balle & Wang 2018, Theorems 8 and 9). Sigma has the unit of s.L2 and
// is never below the exact value. Errors are *ArgumentError: see Guarantee.Validate; "sensitivity" if s.L2 is not
// positive and finite, or so large that sigma would not be finite.
func AnalyticGaussian(s Sensitivity, g Guarantee) (Sigma, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if err := argument.Positive("sensitivity", s.L2); err != nil {
		return 0, err
	}
	sigma, found := numeric.LeastSigma(s.L2, float64(g.Epsilon), float64(g.Delta))
	if !found {
		return 0, argument.New("sensitivity", "= %g needs a sigma above the largest float64", s.L2)
	}
	return Sigma(sigma), nil
}

// deltaAt does the same as GaussianDelta, for a mu that is the exact quotient of two positive finite numbers.
func deltaAt(eps Epsilon, mu numeric.Quotient) (Delta, error) {
	if err := eps.Validate(); err != nil {
		return 0, err
	}
	return Delta(numeric.LeastDelta(float64(eps), mu)), nil
}

// epsilonAt does the same as GaussianEpsilon, for a mu that is the exact quotient of two positive finite numbers.
func epsilonAt(delta Delta, mu numeric.Quotient) (Epsilon, error) {
	if err := delta.Validate(); err != nil {
		return 0, err
	}
	eps, found := numeric.LeastEpsilon(float64(delta), mu)
	if !found {
		return 0, argument.New("mu", "= %g needs an epsilon above %g at delta = %g", mu.Near(), float64(MaxEpsilon),
			float64(delta))
	}
	return Epsilon(eps), nil
}

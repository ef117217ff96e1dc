package calibrate

import "math"

// GaussianDelta is the least float64 proven not to be below delta(eps), the least delta for which the Gaussian mechanism
// with parameter mu = L2 sensitivity over sigma is (eps, delta)-differentially private (Balle & Wang 2018, Theorem 8):
//
//	delta(eps) = Phi(mu/2 - eps/mu) - e^eps·Phi(-mu/2 - eps/mu).
//
// It is 1 if no smaller float64 is a bound, and at least 5e-324. Errors are *ArgumentError: eps outside of [0,
// MaxEpsilon], mu not positive and finite. If mu is a quotient that a float64 cannot hold, Mechanism.Delta is
// tighter.
func GaussianDelta(eps Epsilon, mu Mu) (Delta, error) {
	if err := mu.validate(); err != nil {
		return 0, err
	}
	return deltaOf(eps, quotient{float64(mu), 1})
}

// GaussianEpsilon is the least float64 eps >= 0, in nats, at which the Gaussian mechanism with parameter mu is proven to
// be (eps, delta)-differentially private (Balle & Wang 2018, Theorem 8): never below the exact value. Errors are
// *ArgumentError: delta outside of [MinDelta, 1), mu not positive and finite or so large that eps would be above
// MaxEpsilon. If mu is a quotient that a float64 cannot hold, Mechanism.Epsilon is tighter.
func GaussianEpsilon(delta Delta, mu Mu) (Epsilon, error) {
	if err := mu.validate(); err != nil {
		return 0, err
	}
	return epsilonOf(delta, quotient{float64(mu), 1})
}

// GaussianMu is the largest float64 mu for which the Gaussian mechanism is proven to satisfy g (Balle & Wang 2018,
// Theorem 8): never above the exact value. It is what a budget of (epsilon, delta) holds: mechanisms fit together when
// the sum of their mu² is at most mu². Errors are *ArgumentError; see Guarantee.Validate.
func GaussianMu(g Guarantee) (Mu, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	eps, delta := float64(g.Epsilon), float64(g.Delta)
	guess, sure := solveMu(eps, delta)
	mu, _ := boundary(guess.widen(nudge).roundDown(), false, sure, func(mu float64) bool {
		return mu == 0 || meets(eps, quotient{mu, 1}, delta)
	})
	return Mu(mu), nil
}

// AnalyticGaussian is the least float64 sigma for which Gaussian noise on a query of L2 sensitivity s.L2 is proven to be
// (epsilon, delta)-differentially private (Balle & Wang 2018, Theorems 8 and 9), in the unit of s.L2: never below the
// exact value. Errors are *ArgumentError: see Guarantee.Validate; "sensitivity" if s.L2 is not positive and finite,
// or so large that sigma would not be finite.
func AnalyticGaussian(s Sensitivity, g Guarantee) (Sigma, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if err := positive("sensitivity", s.L2); err != nil {
		return 0, err
	}
	eps, delta := float64(g.Epsilon), float64(g.Delta)
	mu, sure := solveMu(eps, delta)
	guess := wideOf(s.L2).div(mu).widen(-nudge).roundUp()
	sigma, found := boundary(min(guess, math.MaxFloat64), true, sure, func(sigma float64) bool {
		return sigma > 0 && meets(eps, quotient{s.L2, sigma}, delta)
	})
	if !found {
		return 0, argument("sensitivity", "= %g needs a sigma above the largest float64", s.L2)
	}
	return Sigma(sigma), nil
}

// ComposedSigma is a float64 sigma for which times queries, each of L2 sensitivity s.L2 and with noise of that sigma, are proven to be
// (epsilon, delta)-differentially private together (mu² = times·L2²/sigma²): the least but for a last place. Errors are those of
// AnalyticGaussian; "times".
func ComposedSigma(s Sensitivity, g Guarantee, times int) (Sigma, error) {
	if times < 1 || times > maxTimes {
		return 0, argument("times", "must be 1 to %d, not %d", maxTimes, times)
	}
	if err := positive("sensitivity", s.L2); err != nil {
		return 0, err
	}
	all := upOf(s.L2)
	all.Mul(all.Mul(all, all), upOf(float64(times)))
	s.L2 = rootCeiling(all)
	return AnalyticGaussian(s, g)
}

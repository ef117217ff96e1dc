package methods

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The noise for several queries of equal sensitivity that share one guarantee: exactly, and by the theorem of Kairouz,
// Oh & Viswanath 2017 for comparison.

// ComposedSigma returns a float64 sigma with which several queries, each of L2 sensitivity s.L2, are proven to be
// (epsilon, delta)-differentially private together (mu² = times·L2²/sigma²). It is the least such sigma, or one float64
// above it. Errors: as for AnalyticGaussian, and "times".
func ComposedSigma(s calibrate.Sensitivity, g calibrate.Guarantee, times int) (calibrate.Sigma, error) {
	if times < 1 || times > maxTimes {
		return 0, argument.New("times", "must be 1 to %d, not %d", maxTimes, times)
	}
	if err := argument.Positive("sensitivity", s.L2); err != nil {
		return 0, err
	}
	all := numeric.UpOf(s.L2)
	all.Mul(all.Mul(all, all), numeric.UpOf(float64(times)))
	s.L2 = numeric.RootCeiling(all)
	return calibrate.AnalyticGaussian(s, g)
}

// KairouzSigma returns the sigma of Kairouz, Oh & Viswanath 2017, Theorem 4.3, with which times queries of the same L2
// sensitivity are (epsilon, delta)-differentially private together:
//
//	sigma² = 8·times·L2²·log(e + epsilon/delta)/epsilon²,
//
// rounded up and verified against the exact composition (mu² = times·L2²/sigma²). The formula fails for large epsilon;
// the error then wraps ErrDoesNotHold. The exact sigma is sqrt(times) times the sigma of AnalyticGaussian. Other errors
// are *ArgumentError: see Guarantee.Validate; "epsilon" if it is 0; "sensitivity"; "times".
func KairouzSigma(s calibrate.Sensitivity, g calibrate.Guarantee, times int) (calibrate.Sigma, error) {
	if err := (closedForm{method: "Theorem 4.3"}).accepts(s, g); err != nil {
		return 0, err
	}
	if times < 1 || times > maxTimes {
		return 0, argument.New("times", "must be 1 to %d, not %d", maxTimes, times)
	}
	eps, n := numeric.BigOf(float64(g.Epsilon)), numeric.BigOf(float64(times))
	sigma := numeric.RoundedUp(kairouz(eps, numeric.BigOf(float64(g.Delta)),
		numeric.NewBig().Mul(n, numeric.NewBig().Mul(numeric.BigOf(s.L2), numeric.BigOf(s.L2)))))
	if math.IsInf(sigma, 0) {
		return 0, argument.New("sensitivity", "= %g needs a sigma above the largest float64", s.L2)
	}
	mu := numeric.NewBig().Sqrt(n)
	mu.Mul(mu, numeric.BigOf(s.L2))
	mu.Quo(mu, numeric.BigOf(sigma))
	mu.Add(mu, numeric.NewBig().SetMantExp(mu, -500)) // raised by more than its rounding errors
	if !numeric.BigMeets(float64(g.Epsilon), mu, float64(g.Delta)) {
		return 0, fmt.Errorf("calibrate: Theorem 4.3: %w: epsilon = %g at delta = %g", ErrDoesNotHold, float64(g.Epsilon),
			float64(g.Delta))
	}
	return calibrate.Sigma(sigma), nil
}

// kairouz returns sqrt(8·squares·ln(e + eps/delta))/eps.
func kairouz(eps, delta, squares *big.Float) *big.Float {
	l := numeric.NewBig().Quo(eps, delta)
	l = numeric.BigLn(l.Add(l, numeric.BigExp(numeric.BigOf(1))))
	l.Mul(l, squares)
	l.SetMantExp(l, 3)
	return l.Quo(l.Sqrt(l), eps)
}

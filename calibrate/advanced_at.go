package calibrate

import (
	"fmt"
	"math"
	"math/big"
)

// AdvancedAt is ComposeAdvanced with the largest slack that keeps the composed delta at most delta. Errors are *ArgumentError:
// those of ComposeBasic; "delta" outside of [MinDelta, 1) or below what the parts' own deltas add up to.
func AdvancedAt(parts []Part, delta Delta) (Advanced, error) {
	if err := validateParts(parts); err != nil {
		return Advanced{}, err
	}
	if err := delta.validate(); err != nil {
		return Advanced{}, err
	}
	kept := newBig()
	for _, p := range parts {
		kept.Add(kept, p.logKept())
	}
	slack := nearestFloat(spare(delta, kept)) * (1 - 0x1p-50)
	a, err := ComposeAdvanced(parts, Delta(math.Min(slack, 1-0x1p-53)))
	if err != nil || a.Guarantee.Delta > delta {
		return Advanced{}, argument("delta", "= %g leaves nothing beside the parts' own deltas", float64(delta))
	}
	return a, nil
}

// KairouzSigma is the noise of Kairouz, Oh & Viswanath 2017, Theorem 4.3, for times queries of the same L2 sensitivity that are to be
// (epsilon, delta)-differentially private together:
//
//	sigma² = 8·times·L2²·log(e + epsilon/delta)/epsilon²,
//
// rounded up and verified against the exact composition (mu² = times·L2²/sigma²): the theorem's formula falls short for large
// epsilon, if the error wraps ErrDoesNotHold. The exact noise is sqrt(times) times that of AnalyticGaussian. Other errors are
// *ArgumentError: see Guarantee.Validate; "epsilon" if it is 0; "sensitivity"; "times".
func KairouzSigma(s Sensitivity, g Guarantee, times int) (Sigma, error) {
	if err := (closedForm{method: "Theorem 4.3"}).accepts(s, g); err != nil {
		return 0, err
	}
	if times < 1 || times > maxTimes {
		return 0, argument("times", "must be 1 to %d, not %d", maxTimes, times)
	}
	eps, n := bigOf(float64(g.Epsilon)), bigOf(float64(times))
	sigma := roundedUp(kairouz(eps, bigOf(float64(g.Delta)), newBig().Mul(n, newBig().Mul(bigOf(s.L2), bigOf(s.L2)))))
	if math.IsInf(sigma, 0) {
		return 0, argument("sensitivity", "= %g needs a sigma above the largest float64", s.L2)
	}
	mu := newBig().Sqrt(n)
	mu.Mul(mu, bigOf(s.L2))
	mu.Quo(mu, bigOf(sigma))
	mu.Add(mu, newBig().SetMantExp(mu, -500)) // more than its roundings
	if !bigMeets(float64(g.Epsilon), mu, float64(g.Delta)) {
		return 0, fmt.Errorf("calibrate: Theorem 4.3: %w: epsilon = %g at delta = %g", ErrDoesNotHold, float64(g.Epsilon), float64(g.Delta))
	}
	return Sigma(sigma), nil
}

// kairouz is sqrt(8·squares·ln(e + eps/delta))/eps.
func kairouz(eps, delta, squares *big.Float) *big.Float {
	l := newBig().Quo(eps, delta)
	l = bigLn(l.Add(l, bigExp(bigOf(1))))
	l.Mul(l, squares)
	l.SetMantExp(l, 3)
	return l.Quo(l.Sqrt(l), eps)
}

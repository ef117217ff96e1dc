package calibrate

import (
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Gaussian mechanisms compose without loss: the mu² of several mechanisms add up (Zhao et al. 2019, Lemma 15; Dong,
// Roth & Su 2022, Corollary 3.3). So any set of mechanisms has one cost, the sum of mu². The sum is a big.Float without
// rounding errors, so SplitBudget, Verify and the ledger compare the same bits.

// ComposedMu2 returns an upper bound on the sum of (L2/sigma)² over the mechanisms, which is the square of their joint
// mu.
//
// Each term is rounded up to 256 bits. The terms are added exactly, with as many bits as the sum needs. So the bound
// does not depend on the order or grouping of the mechanisms, and a ledger computes the same bits as SplitBudget. The
// bound is 0 if there are no mechanisms, and +Inf if a mechanism is not valid.
func ComposedMu2(ms []Mechanism) *big.Float {
	sum := new(big.Float)
	for _, m := range ms {
		if m.Validate() != nil {
			return new(big.Float).SetInf(false)
		}
		r := m.ratio()
		sum = numeric.ExactSum(sum, r.Mul(r, r))
	}
	return sum
}

// ComposedMu returns the Gaussian-DP parameter of the mechanisms together: the square root of ComposedMu2, rounded up
// to a float64. It is +Inf if ComposedMu2 is +Inf.
func ComposedMu(ms []Mechanism) Mu { return Mu(numeric.RootCeiling(ComposedMu2(ms))) }

// Compose returns the joint guarantee of the mechanisms at delta d. Its epsilon is the least proven epsilon of a
// Gaussian mechanism with parameter ComposedMu(ms), or 0 if there are no mechanisms. If no noise is Gaussian, epsilon
// is at most the sum of the mechanisms' epsilons. Errors are *ArgumentError: "delta" outside of [MinDelta, 1);
// "mechanisms[i].…" if a mechanism is not valid; "mechanisms" if epsilon would be above MaxEpsilon.
func Compose(ms []Mechanism, d Delta) (Guarantee, error) {
	if err := d.Validate(); err != nil {
		return Guarantee{}, err
	}
	if err := validateAll(ms); err != nil {
		return Guarantee{}, err
	}
	if len(ms) == 0 {
		return Guarantee{Epsilon: 0, Delta: d}, nil
	}
	mu := ComposedMu(ms)
	eps, err := GaussianEpsilon(d, mu)
	if pure := ComposedPure(ms); pure != nil {
		if sum := Epsilon(numeric.Ceiling(pure)); sum <= MaxEpsilon && (err != nil || sum < eps) {
			return Guarantee{Epsilon: sum, Delta: d}, nil
		}
	}
	if err != nil {
		return Guarantee{}, argument.New("mechanisms", "have mu = %g together, which needs an epsilon above %g", float64(mu),
			float64(MaxEpsilon))
	}
	return Guarantee{Epsilon: eps, Delta: d}, nil
}

// validateAll returns the error of the first mechanism that is not valid, with the index of the mechanism.
func validateAll(ms []Mechanism) error {
	for i, m := range ms {
		if err := m.Validate(); err != nil {
			return argument.In(fmt.Sprintf("mechanisms[%d]", i), err)
		}
	}
	return nil
}

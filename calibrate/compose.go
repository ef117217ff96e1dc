package calibrate

import (
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Gaussian mechanisms compose without loss: their squares of mu add up (Zhao et al. 2019, Lemma 15; Dong, Roth & Su
// 2022, Corollary 3.3). So one number, the sum of mu², says what any set of mechanisms costs. It is a big.Float that is
// summed without error, and the split that calibrates a release, the check of a release and the ledger compare the same
// bits.

// ComposedMu2 returns an upper bound of the sum of (L2/sigma)² over the mechanisms, which is the mu² of all of them
// together.
//
// Each term is rounded up to 256 bits, and the terms are summed without error, with as many bits as that takes. So the
// bound depends neither on the order nor on the grouping of the mechanisms: what Split verifies against a budget is, to
// the last bit, what a ledger adds to its own sum for the same mechanisms. It is 0 if there are no
// mechanisms, and +Inf if a sensitivity or a sigma is not positive and finite.
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

// ComposedMu returns the Gaussian-DP parameter of the mechanisms together: the root of ComposedMu2, rounded up to a
// float64; +Inf if that is +Inf.
func ComposedMu(ms []Mechanism) Mu { return Mu(numeric.RootCeiling(ComposedMu2(ms))) }

// Compose returns the guarantee of the mechanisms together at this delta: the least proven epsilon of the Gaussian
// mechanism whose mu² is the sum of theirs. It is 0 if there are no mechanisms. Errors are *ArgumentError: delta
// outside of [MinDelta, 1), "mechanisms" if one of them is not valid or epsilon would be above MaxEpsilon. If the noise
// of none is Gaussian, it is not above the sum of their epsilons.
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

// validateAll returns an error that names the first mechanism without a mu.
func validateAll(ms []Mechanism) error {
	for i, m := range ms {
		if err := m.Validate(); err != nil {
			return argument.In(fmt.Sprintf("mechanisms[%d]", i), err)
		}
	}
	return nil
}

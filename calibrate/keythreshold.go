package calibrate

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Private partition selection: publishing keys that nobody can list before reading the data
//
// Noise is added to the count of every key that some privacy unit has, and a key is published if its noisy count
// reaches a threshold. The threshold is so high that a key of a single unit almost never reaches it. The probability
// that it does is taken from delta, and the rest of delta calibrates the noise.
//
// Keys of fewer than MinUnits units can be dropped first, by their exact counts (a pre-threshold). Whether a key with
// exactly MinUnits units is dropped then depends on a single unit. So the threshold is raised by MinUnits - 1.
//
// A unit that has fewer keys than allowed can add more than 1 to each of its keys, with the same noise and the same
// threshold. Such weights find more keys. But a sum of weights is not a number of units.

// KeySelection describes a private partition selection. Each privacy unit counts once in each of at most Keys keys. For
// each unit, consider the keys that have MinUnits units only if this unit is present. The probability that any of these
// keys reaches the threshold is at most Failure.
type KeySelection struct {
	// Mechanism makes the counts noisy.
	Mechanism Mechanism
	// Keys is the largest number of keys of a unit (the L0 bound); at least 1.
	Keys int64
	// Failure is the fraction of delta that the selection costs, as a probability.
	Failure Delta
	// MinUnits is the pre-threshold: keys of fewer units are dropped before noise is added. 0 means 1, which drops no key.
	MinUnits int64
	// Weighted is set if a unit adds its weight ([KeySelection.Weights]) to each of its keys, instead of 1. MinUnits must
	// then be 0.
	Weighted bool
}

const (
	// WeightBits is the number of binary digits of a weight after the binary point.
	WeightBits = 10
	// MaxWeightedKeys is the largest value of Keys if Weighted is set.
	MaxWeightedKeys = 1000
)

// MaxMinUnits is the largest value of MinUnits.
const MaxMinUnits = 1 << 48

// Least returns the least exact count of a key that is not dropped before noise is added: MinUnits, at least 1.
func (s KeySelection) Least() int64 { return max(s.MinUnits, 1) }

// Threshold returns the least noisy count with which a key is published, in grid units. With grid g it is
//
//	ceil(T/g + ½),  T = N + sigma·Phi⁻¹((1 − Failure)^(1/Keys)),
//
// rounded up, with N = MinUnits, at least 1. Errors are *ArgumentError: "keys", "failure", "min_units", "sigma",
// "grid"; "sensitivity" if it is below sqrt(Keys), the sensitivity of such counts under add-remove.
//
// A selection that also publishes its noisy counts is (eps, delta_mu(eps) + Failure)-differentially private. Here
// delta_mu is the curve of the Gaussian mechanism at mu = L2/sigma. The failures of several selections add up. The
// threshold for N = 1 is from Wilson et al. (Differentially Private SQL with Bounded User Contribution, PoPETs 2020),
// and for larger N from Google's libraries (github.com/google/differential-privacy, common_docs/pre_thresholding.md).
// docs/adr/0033 has the proof.
func (s KeySelection) Threshold() (int64, error) {
	// Proof note. Let K be the threshold that is returned. Let two tables differ by one unit. Counts of keys are made
	// after rows are bounded, so they differ by at most 1 in each key. Let S be the keys that have a count of N or more in
	// both tables, and M0 the Gaussian mechanism on the keys of S.
	//
	// A key outside of S is dropped from at least one table. Its count there is at most N − 1, so its count in the other
	// table is at most N. In the other table it is published if g·floor(N/g + (sigma/g)·Z + ½) >= g·K, that is if N +
	// sigma·Z >= g·(K − ½). Since g·(K − ½) >= T, this has a probability of at most 1 − (1 − Failure)^(1/Keys). At most
	// Keys such keys are not dropped, each a key of the unit, with independent noise. So with probability p >= 1 − Failure
	// none of them is published.
	//
	// If none is published, the output is M0's, filtered by its own values. So on each of the two tables the output is
	// M0's with probability 1 − Failure, and anything else with probability Failure. (If p is larger, some of M0's
	// probability counts as anything else.) M0 is mu-GDP. Under replace-one each of the two tables has up to Keys keys
	// outside of S, the keys of its own unit. The same then holds with an L2 of sqrt(2·Keys).
	m := s.Mechanism
	if err := s.validate(); err != nil {
		return 0, err
	}
	t, err := s.quantile(s.Keys)
	if err != nil {
		return 0, err
	}
	t.Mul(t, numeric.BigOf(float64(m.Sigma))).Add(t, numeric.BigOf(float64(s.Least())))
	t.Quo(t, numeric.BigOf(m.Grid)).Add(t, numeric.BigOf(0.5))
	units, accuracy := t.Int(nil)
	if accuracy == big.Below {
		units.Add(units, big.NewInt(1))
	}
	if units.BitLen() > 53 {
		return 0, argument.New("sigma", "= %g is too large beside the grid for a threshold", float64(m.Sigma))
	}
	return units.Int64(), nil
}

// Weights returns the weights of units: item d - 1 is the weight that a unit with d keys adds to each of them, in
// multiples of 2^-[WeightBits]. It is at least 1, and at most
//
//	min(sqrt(Keys/d), 1 + sigma·(z_Keys − z_d)),  z_d = Phi⁻¹((1 − Failure)^(1/d)),
//
// rounded down. By the first term, the weights of a unit have an L2 norm of at most sqrt(Keys), the sensitivity of
// counts. By the second term, the threshold of counts is still high enough: if a unit is the only one in d keys, none
// of them is published with a probability of at least 1 − Failure. (This is the proof note of Threshold, with d instead
// of Keys and the weight instead of 1.) No weight is below 1, so every key is at least as likely to be published as by
// its number of units. Errors: the errors of Threshold; "keys" if it is above MaxWeightedKeys. The first term is the
// weight of Chen et al. (Scalable Private Partition Selection via Adaptive Weighting, ICML 2025); docs/adr/0044
// compares them.
func (s KeySelection) Weights() ([]int64, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	if s.Keys > MaxWeightedKeys {
		return nil, argument.New("keys", "must be at most %d if keys are selected by weights, not %d", MaxWeightedKeys,
			s.Keys)
	}
	most, err := s.quantile(s.Keys)
	if err != nil {
		return nil, err
	}
	one, weights := int64(1)<<WeightBits, make([]int64, s.Keys)
	for d := range s.Keys {
		square := new(big.Int).Lsh(big.NewInt(s.Keys), 2*WeightBits)
		w := square.Sqrt(square.Quo(square, big.NewInt(d+1))).Int64()
		z, err := s.quantile(d + 1)
		if err != nil {
			return nil, err
		}
		room := z.Sub(most, z)
		room.Mul(room, numeric.BigOf(float64(s.Mechanism.Sigma)*(1-0x1p-50))) // less than sigma·(z_Keys − z_d)
		if room.SetMantExp(room, WeightBits); room.Cmp(numeric.BigOf(float64(w-one))) < 0 {
			fits, _ := room.Int64() // rounded towards 0
			w = one + max(fits, 0)
		}
		weights[d] = w
	}
	return weights, nil
}

// quantile returns z with Phi(z)^keys = 1 − Failure, rounded up. It returns an error if z is too large to compute.
func (s KeySelection) quantile(keys int64) (*big.Float, error) {
	tail := -math.Expm1(math.Log1p(-float64(s.Failure)) / float64(keys))
	tail *= 1 - 0x1p-40 // the factor lowers the tail by more than the errors of both functions and of the quotient
	if tail < 0x1p-1000 {
		return nil, argument.New("failure", "= %g is too small for %d keys", float64(s.Failure), keys)
	}
	return quantile(min(tail, 0.5)), nil
}

// validate checks the fields from which the threshold is computed.
func (s KeySelection) validate() error {
	m := s.Mechanism
	if s.Keys < 1 {
		return argument.New("keys", "must be at least 1, not %d", s.Keys)
	}
	if !(s.Failure >= numeric.MinDelta && s.Failure < 1) {
		return argument.New("failure", "must be at least %g and below 1, not %g", MinDelta, float64(s.Failure))
	}
	if s.MinUnits < 0 || s.MinUnits > MaxMinUnits {
		return argument.New("min_units", "must be at least 1 and at most 2^48, not %d", s.MinUnits)
	}
	if s.Weighted && s.MinUnits > 1 {
		return argument.New("min_units", "= %d needs numbers of units, and keys are selected by weights", s.MinUnits)
	}
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Noise != Gaussian {
		return argument.New("noise", "must be Gaussian for a threshold of keys")
	}
	if err := argument.PowerOfTwo("grid", m.Grid); err != nil {
		return err
	}
	square := numeric.NewUp().Mul(numeric.UpOf(m.Sens.L2), numeric.UpOf(m.Sens.L2)) // exact
	if square.Cmp(new(big.Float).SetInt64(s.Keys)) < 0 {
		return argument.New("sensitivity", "= %g is too small for counts in %d keys", m.Sens.L2, s.Keys)
	}
	return nil
}

// quantile returns the z with 1 − Phi(z) = tail, for tail <= ½, rounded up. It is sqrt(2)·inverfc(2·tail), which is
// computed with a relative error below 2^-160 and then raised by 2^-100, relative.
func quantile(tail float64) *big.Float {
	z := numeric.BigInvErfc(numeric.BigOf(2 * tail))
	z.Mul(z, numeric.BigSqrt2())
	if z.Sign() <= 0 {
		return numeric.NewBig()
	}
	return z.Add(z, numeric.NewBig().SetMantExp(z, -100))
}

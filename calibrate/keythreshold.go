package calibrate

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Keys that nobody can list before reading the data are selected privately (private partition selection). Noise is
// added to the count of every key that some privacy unit has, and a key is published if its noisy count reaches a
// threshold. The threshold is so high that a key of a single unit almost never reaches it. The probability that it does
// is a share of delta, paid before the noise is calibrated.
//
// Keys of fewer than MinUnits units can be dropped first, by their exact counts (a pre-threshold). Then a unit decides
// about a key that has MinUnits units with it and one fewer without it, so the threshold is higher by MinUnits - 1.

// KeySelection describes a private partition selection. Each privacy unit counts once in each of at most Keys keys.
// Consider the keys that have MinUnits units only if one particular unit is present: the probability that any of them
// reaches the threshold is at most Failure.
type KeySelection struct {
	// Mechanism makes the counts noisy.
	Mechanism Mechanism
	// Keys is L0, the largest number of keys of a unit; at least 1.
	Keys int64
	// Failure is the share of delta that the selection costs.
	Failure Delta
	// MinUnits is the pre-threshold: keys of fewer units are dropped before noise is added. 0 means 1, which drops
	// none.
	MinUnits int64
}

// MaxMinUnits is the largest MinUnits.
const MaxMinUnits = 1 << 48

// Least returns the least exact count of a key that is not dropped: MinUnits, at least 1.
func (s KeySelection) Least() int64 { return max(s.MinUnits, 1) }

// Threshold returns the least noisy count with which a key is kept, in grid units. With grid g it is
//
//	ceil(T/g + ½),  T = N + sigma·Phi⁻¹((1 − Failure)^(1/Keys)),
//
// rounded up; N is MinUnits, at least 1. Errors are *ArgumentError: "keys", "failure", "min_units", "sigma", "grid";
// "sensitivity" if it is below sqrt(Keys), the sensitivity of such counts under add-remove.
//
// A selection together with its counts is (eps, delta_mu(eps) + Failure)-differentially private with mu = L2/sigma;
// the failures of several selections add up. The threshold for N = 1 is from Wilson et al. (Differentially Private SQL
// with Bounded User Contribution, PoPETs 2020), and for larger N from Google's libraries
// (github.com/google/differential-privacy, common_docs/pre_thresholding.md). docs/adr/0033 has the proof.
func (s KeySelection) Threshold() (int64, error) {
	// Proof note. K is the threshold that is returned, and M0 the Gaussian mechanism on the keys of S. Let two tables
	// differ by one unit. Counts of keys are made after rows are bounded, so they differ by at most 1 in each key. Let S
	// be the keys that have a count of N or more in both tables. A key outside of S is dropped from at least one table, in
	// which its count is at most N − 1, so that its count in the other table is at most N. There it is kept if
	// g·floor(N/g + (sigma/g)·Z + ½) >= g·K, that is if N + sigma·Z >= g·(K − ½), and g·(K − ½) >= T: with probability at
	// most 1 − (1 − Failure)^(1/Keys). At most Keys such keys are not dropped, each a key of the unit, with independent
	// noise. So none is kept with probability p >= 1 − Failure. Given that, the output is M0's, filtered by its own
	// values: on each of the two tables the output is M0's with probability 1 − Failure and anything else with probability
	// Failure (if p is larger, a part of M0's probability counts as anything else), and M0 is mu-GDP. Under replace-one
	// each of the two tables has up to Keys keys outside of S, of its own unit, and the same holds with an L2 of
	// sqrt(2·Keys).
	m := s.Mechanism
	if err := s.validate(); err != nil {
		return 0, err
	}
	tail := -math.Expm1(math.Log1p(-float64(s.Failure)) / float64(s.Keys))
	tail *= 1 - 0x1p-40 // more than the errors of the two functions and of the quotient
	if tail < 0x1p-1000 {
		return 0, argument.New("failure", "= %g is too small for %d keys", float64(s.Failure), s.Keys)
	}
	t := quantile(min(tail, 0.5))
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

// validate checks the fields on which the threshold depends.
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
		return argument.New("sensitivity", "= %g is below that of one count in each of %d keys", m.Sens.L2, s.Keys)
	}
	return nil
}

// quantile returns the z with 1 − Phi(z) = tail, for tail <= ½, rounded up. It is sqrt(2)·inverfc(2·tail), known within
// 2^-160 and raised by 2^-100, relative.
func quantile(tail float64) *big.Float {
	z := numeric.BigInvErfc(numeric.BigOf(2 * tail))
	z.Mul(z, numeric.BigSqrt2())
	if z.Sign() <= 0 {
		return numeric.NewBig()
	}
	return z.Add(z, numeric.NewBig().SetMantExp(z, -100))
}

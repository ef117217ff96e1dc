package calibrate

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// ErrExceeds is wrapped by the error of Verify if a release exceeds its guarantee.
var ErrExceeds = errors.New("the release exceeds its guarantee")

// Verify returns nil if the mechanisms together are proven to meet g, that is, if delta(g.Epsilon) <= g.Delta for their
// exact composition (Balle & Wang 2018, Theorem 8). If the proof fails, the error wraps ErrExceeds. Other errors are
// *ArgumentError: see Guarantee.Validate; "mechanisms[i].…" if a mechanism is not valid.
//
// If g.Delta is 0, the mechanisms meet g if no noise is Gaussian and the sum of their epsilons is at most g.Epsilon.
func Verify(ms []Mechanism, g Guarantee) error {
	if g.Delta == 0 {
		return verifyPure(ms, g.Epsilon)
	}
	limit, err := GaussianMu(g)
	if err != nil {
		return err
	}
	if err := validateAll(ms); err != nil {
		return err
	}
	mu2 := ComposedMu2(ms)
	if limit.Covers(mu2) || meetsMu2(mu2, g) {
		return nil
	}
	return fmt.Errorf("calibrate: %w: mu is %g, and epsilon = %g with delta = %g allow %g",
		ErrExceeds, numeric.RootCeiling(mu2), float64(g.Epsilon), float64(g.Delta), float64(limit))
}

// meetsMu2 reports whether a release with this sum of mu² meets the guarantee. It does not round the root of mu2 to a
// float64, so it accepts some sums above the square of the largest float64 mu for g. delta(eps) grows with mu, so an
// upper bound on the root suffices. The error of big.Float.Sqrt is at most a few units of the last of 256 bits.
func meetsMu2(mu2 *big.Float, g Guarantee) bool {
	mu := numeric.NewUp().Sqrt(mu2)
	mu.Add(mu, numeric.NewUp().SetMantExp(mu, -250))
	return numeric.BigMeets(float64(g.Epsilon), numeric.NewBig().Set(mu), float64(g.Delta))
}

// verifyPure does the same as Verify for a delta of 0: no noise may be Gaussian, and the epsilons may add up to at most
// eps.
func verifyPure(ms []Mechanism, eps Epsilon) error {
	if err := eps.Validate(); err != nil {
		return err
	}
	if err := validateAll(ms); err != nil {
		return err
	}
	sum := ComposedPure(ms)
	if sum == nil {
		return fmt.Errorf("calibrate: %w: Gaussian noise has no epsilon at delta = 0", ErrExceeds)
	}
	if sum.Cmp(numeric.UpOf(float64(eps))) > 0 {
		return fmt.Errorf("calibrate: %w: the epsilons of the mechanisms sum up to %g, above %g", ErrExceeds,
			numeric.Ceiling(sum), float64(eps))
	}
	return nil
}

package methods

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Probabilistic differential privacy bounds the privacy loss itself: the loss is outside of [-epsilon, epsilon] with a
// probability of at most delta. This implies (epsilon, delta)-differential privacy. The converse holds only with other
// parameters.

// GaussianPDPDelta returns the least delta for which Gaussian noise of this mu is (eps, delta)-probabilistically
// differentially private: Phi(-x) + Phi(-y) with x = eps/mu - mu/2, y = eps/mu + mu/2 (Zhao et al. 2019, pDP-OPT),
// rounded up, at least 5e-324. Errors are *ArgumentError: "epsilon", "mu".
func GaussianPDPDelta(eps calibrate.Epsilon, mu calibrate.Mu) (calibrate.Delta, error) {
	if err := eps.Validate(); err != nil {
		return 0, err
	}
	if err := mu.Validate(); err != nil {
		return 0, err
	}
	a := numeric.NewBig().Quo(numeric.BigOf(float64(eps)), numeric.BigOf(float64(mu)))
	b := numeric.NewBig().SetMantExp(numeric.BigOf(float64(mu)), -1)
	sum := bigTail(numeric.NewBig().Sub(a, b))
	sum.Add(sum, bigTail(a.Add(a, b)))
	return calibrate.Delta(numeric.ProbabilityUp(sum)), nil
}

// bigTail returns 1 - Phi(x). If x > 64, it returns an upper bound below 2^-2900; if x < -64, it returns 1.
func bigTail(x *big.Float) *big.Float {
	limit := numeric.BigOf(64)
	switch {
	case x.Cmp(limit) > 0:
		return numeric.BigPow2(-2900)
	case x.Cmp(limit.Neg(limit)) < 0:
		return numeric.BigOf(1)
	case x.Sign() < 0:
		rest := bigTail(numeric.NewBig().Neg(x))
		return rest.Sub(numeric.BigOf(1), rest)
	}
	r := numeric.BigMills(x)
	return r.Mul(r, numeric.BigPhi(x))
}

// GaussianPDPEpsilon returns the least float64 epsilon at which GaussianPDPDelta is at most delta. Errors are
// *ArgumentError: "delta"; "mu" if it is not positive and finite, or if epsilon would be above MaxEpsilon.
func GaussianPDPEpsilon(delta calibrate.Delta, mu calibrate.Mu) (calibrate.Epsilon, error) {
	if err := delta.Validate(); err != nil {
		return 0, err
	}
	if err := mu.Validate(); err != nil {
		return 0, err
	}
	meets := func(eps float64) bool {
		d, err := GaussianPDPDelta(calibrate.Epsilon(eps), mu)
		return err == nil && d <= delta
	}
	if !meets(calibrate.MaxEpsilon) {
		return 0, argument.New("mu", "= %g needs an epsilon above %g at delta = %g", float64(mu),
			float64(calibrate.MaxEpsilon), float64(delta))
	}
	guess := startPDPEpsilon(math.Log(float64(delta)), float64(mu))
	eps, _ := numeric.Boundary(guess, true, false, func(eps float64) bool {
		return eps >= calibrate.MaxEpsilon ||
			meets(eps)
	})
	return calibrate.Epsilon(min(eps, calibrate.MaxEpsilon)), nil
}

// startPDPEpsilon approximates the epsilon in [0, MaxEpsilon] at which the log of GaussianPDPDelta is logDelta, by
// bisection.
func startPDPEpsilon(logDelta, mu float64) float64 {
	low, high := 0.0, float64(calibrate.MaxEpsilon)
	for range 200 {
		middle := low + (high-low)/2
		if low > 0 && high > 4*low {
			middle = math.Sqrt(low) * math.Sqrt(high)
		}
		x, y := middle/mu-mu/2, middle/mu+mu/2
		a, err := logErfc(x / math.Sqrt2)
		b, _ := logErfc(y / math.Sqrt2)
		if err != nil || a+math.Log1p(math.Exp(b-a))-math.Ln2 <= logDelta {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

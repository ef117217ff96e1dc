package methods

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Gaussian noise with parameter mu is exactly mu²/2-zCDP, and the rho of several mechanisms add up. Only the conversion
// from rho to (epsilon, delta) loses something; zcdptight.go has the better conversion.

// Rho is the parameter of zero-concentrated differential privacy (Bun & Steinke 2016): the Renyi divergence of order
// alpha is at most rho·alpha, for every alpha > 1.
type Rho float64

// GaussianRho returns the rho of Gaussian noise of this mu, exactly mu²/2 (Bun & Steinke 2016, Proposition 1.6),
// rounded up. Errors are *ArgumentError: "mu" if it is not positive and finite, or its square is above the largest
// float64.
func GaussianRho(m calibrate.Mu) (Rho, error) {
	if err := m.Validate(); err != nil {
		return 0, err
	}
	square := numeric.UpOf(float64(m))
	square.Mul(square, square)
	rho := numeric.Ceiling(square.SetMantExp(square, -1))
	if math.IsInf(rho, 0) {
		return 0, argument.New("mu", "is too large")
	}
	return Rho(rho), nil
}

// Mu returns the largest parameter of a Gaussian mechanism that is rho-zCDP: sqrt(2·rho), rounded down. Errors are
// *ArgumentError: "rho" if it is not positive and finite.
func (r Rho) Mu() (calibrate.Mu, error) {
	if err := r.validate(); err != nil {
		return 0, err
	}
	twice := numeric.BigOf(float64(r))
	return calibrate.Mu(numeric.RoundedDown(twice.Sqrt(twice.SetMantExp(twice, 1)))), nil
}

func (r Rho) validate() error { return argument.Positive("rho", float64(r)) }

// Epsilon returns the epsilon that rho-zCDP implies at delta, rounded up: rho + 2·sqrt(rho·ln(1/delta)) (Bun & Steinke
// 2016, Proposition 1.3). For Gaussian noise it exceeds GaussianEpsilon, by 27 % at epsilon = 1 and delta = 1e-6.
// Errors are *ArgumentError: "rho", "delta".
func (r Rho) Epsilon(delta calibrate.Delta) (calibrate.Epsilon, error) {
	if err := r.validate(); err != nil {
		return 0, err
	}
	if err := delta.Validate(); err != nil {
		return 0, err
	}
	rho := numeric.BigOf(float64(r))
	root := numeric.NewBig().Mul(rho, logInverse(delta))
	root.Sqrt(root.SetMantExp(root, 2))
	return epsilonUp("rho", root.Add(root, rho))
}

// epsilonUp rounds eps > 0 up. If the result is above MaxEpsilon, the error names the given argument.
func epsilonUp(name string, eps *big.Float) (calibrate.Epsilon, error) {
	if e := numeric.RoundedUp(eps); e <= calibrate.MaxEpsilon {
		return calibrate.Epsilon(e), nil
	}
	return 0, argument.New(name, "needs an epsilon above %g", float64(calibrate.MaxEpsilon))
}

// ZCDPRho returns the largest rho for which rho-zCDP implies g by Proposition 1.3 of Bun & Steinke 2016, rounded down.
// It is (sqrt(L+eps) - sqrt(L))² with L = ln(1/delta), computed as (eps/(sqrt(L+eps) + sqrt(L)))². Errors are
// *ArgumentError: see Guarantee.Validate; "epsilon" if it is so small that rho is below the least float64.
func ZCDPRho(g calibrate.Guarantee) (Rho, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	l, eps := logInverse(g.Delta), numeric.BigOf(float64(g.Epsilon))
	sum := numeric.NewBig().Sqrt(numeric.NewBig().Add(l, eps))
	root := numeric.NewBig().Quo(eps, sum.Add(sum, l.Sqrt(l)))
	rho := Rho(numeric.RoundedDown(root.Mul(root, root)))
	if rho == 0 {
		return 0, argument.New("epsilon", "= %g allows no rho above 0", float64(g.Epsilon))
	}
	return rho, nil
}

// logInverse returns ln(1/delta), with a relative error below 2^-230.
func logInverse(delta calibrate.Delta) *big.Float {
	l := numeric.LnAt(numeric.BigOf(float64(delta)), numeric.ShortPrec)
	return l.Neg(l)
}

package calibrate

import (
	"math"
	"math/big"
)

// Rho is the parameter of zero-concentrated differential privacy (Bun & Steinke 2016): the Renyi divergence of order alpha
// is at most rho·alpha, for every alpha > 1.
type Rho float64

// Rho is what Gaussian noise of this mu satisfies, exactly: mu²/2 (Bun & Steinke 2016, Proposition 1.6), rounded up. Errors are
// *ArgumentError: "mu" if it is not positive and finite, or its square is above the largest float64.
func (m Mu) Rho() (Rho, error) {
	if err := m.validate(); err != nil {
		return 0, err
	}
	square := upOf(float64(m))
	square.Mul(square, square)
	return finiteRho("mu", ceiling(square.SetMantExp(square, -1)))
}

func finiteRho(name string, x float64) (Rho, error) {
	if math.IsInf(x, 0) {
		return 0, argument(name, "is too large")
	}
	return Rho(x), nil
}

// Mu is the parameter of the Gaussian mechanism that rho-zCDP allows: sqrt(2·rho), rounded down. Errors are *ArgumentError: "rho"
// if it is not positive and finite.
func (r Rho) Mu() (Mu, error) {
	if err := r.validate(); err != nil {
		return 0, err
	}
	twice := bigOf(float64(r))
	return Mu(roundedDown(twice.Sqrt(twice.SetMantExp(twice, 1)))), nil
}

func (r Rho) validate() error { return positive("rho", float64(r)) }

// Epsilon is what rho-zCDP implies at delta: rho + 2·sqrt(rho·ln(1/delta)) (Bun & Steinke 2016, Proposition 1.3), rounded up. For
// Gaussian noise it is more than GaussianEpsilon says: 27 % at epsilon = 1, delta = 1e-6. Errors are *ArgumentError: "rho", "delta".
func (r Rho) Epsilon(delta Delta) (Epsilon, error) {
	if err := r.validate(); err != nil {
		return 0, err
	}
	if err := delta.validate(); err != nil {
		return 0, err
	}
	rho := bigOf(float64(r))
	root := newBig().Mul(rho, logInverse(delta))
	root.Sqrt(root.SetMantExp(root, 2))
	return epsilonUp("rho", root.Add(root, rho))
}

// epsilonUp is eps > 0 rounded up, an error if it is above MaxEpsilon.
func epsilonUp(name string, eps *big.Float) (Epsilon, error) {
	if e := roundedUp(eps); e <= MaxEpsilon {
		return Epsilon(e), nil
	}
	return 0, argument(name, "needs an epsilon above %g", float64(MaxEpsilon))
}

// Delta is what rho-zCDP implies at eps: e^(-(eps-rho)²/(4·rho)) if eps > rho, else 1 (Bun & Steinke 2016, Lemma 3.5 in its simple
// form), rounded up, at least 5e-324. Errors are *ArgumentError: "rho", "epsilon".
func (r Rho) Delta(eps Epsilon) (Delta, error) {
	if err := r.validate(); err != nil {
		return 0, err
	}
	if err := eps.validate(); err != nil {
		return 0, err
	}
	gap := newBig().Sub(bigOf(float64(eps)), bigOf(float64(r)))
	if gap.Sign() <= 0 {
		return 1, nil
	}
	gap.Mul(gap, gap)
	gap.Quo(gap, bigOf(float64(r)))
	return expDown(gap.SetMantExp(gap, -2)), nil
}

// expDown is e^-t for t >= 0, rounded up, at least 5e-324.
func expDown(t *big.Float) Delta {
	if t.Cmp(bigOf(800)) > 0 {
		return math.SmallestNonzeroFloat64
	}
	return Delta(math.Min(roundedUp(bigExp(newBig().Neg(t))), 1))
}

// ZCDPRho is the largest rho for which rho-zCDP implies g, by the same proposition: (sqrt(L+eps) - sqrt(L))² with L = ln(1/delta), as
// (eps/(sqrt(L+eps) + sqrt(L)))², rounded down. Errors are *ArgumentError: see Guarantee.Validate; "epsilon" if it is so small
// that rho is below the least float64.
func ZCDPRho(g Guarantee) (Rho, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	l, eps := logInverse(g.Delta), bigOf(float64(g.Epsilon))
	sum := newBig().Sqrt(newBig().Add(l, eps))
	root := newBig().Quo(eps, sum.Add(sum, l.Sqrt(l)))
	rho := Rho(roundedDown(root.Mul(root, root)))
	if rho == 0 {
		return 0, argument("epsilon", "= %g allows no rho above 0", float64(g.Epsilon))
	}
	return rho, nil
}

// PureRho is what pure eps-differential privacy implies: eps²/2-zCDP (Bun & Steinke 2016, Proposition 1.4), rounded up. Errors are
// *ArgumentError: "epsilon".
func PureRho(eps Epsilon) (Rho, error) {
	if err := eps.validate(); err != nil {
		return 0, err
	}
	square := upOf(float64(eps))
	square.Mul(square, square)
	return finiteRho("epsilon", ceiling(square.SetMantExp(square, -1)))
}

// logInverse is ln(1/delta), within 2^-230, relative.
func logInverse(delta Delta) *big.Float {
	l := lnAt(bigOf(float64(delta)), shortPrec)
	return l.Neg(l)
}

// roundedDown is x >= 0, known within 2^closedSlack, as a float64 that is not above its exact value.
func roundedDown(x *big.Float) float64 {
	low := newBig().Sub(x, newBig().SetMantExp(x, closedSlack))
	f, _ := low.Float64()
	if math.IsInf(f, 0) {
		return math.MaxFloat64
	}
	if bigOf(f).Cmp(low) > 0 {
		return math.Nextafter(f, 0)
	}
	return f
}

package calibrate

import "math/big"

// classic is the formula sqrt(2·ln(k/delta))/eps.
func classic(k float64) func(eps, delta *big.Float) *big.Float {
	return func(eps, delta *big.Float) *big.Float {
		c := classicFactor(k, delta, shortPrec)
		return c.Quo(c, eps)
	}
}

// classicFactor is sqrt(2·ln(k/delta)), for k > 1, within 2^(24-p), relative.
func classicFactor(k float64, delta *big.Float, p uint) *big.Float {
	l := lnAt(newBig().Quo(bigOf(k), delta), p)
	return l.Sqrt(l.SetMantExp(l, 1))
}

// zcdpSigma is (sqrt(L + eps) + sqrt(L))/(eps·sqrt 2) with L = ln(1/delta): the rho with rho + 2·sqrt(rho·L) = eps, as
// sigma = 1/sqrt(2·rho).
func zcdpSigma(eps, delta *big.Float) *big.Float {
	l := lnAt(newBig().Quo(bigOf(1), delta), shortPrec)
	return sigmaOf(l.Sqrt(l), eps)
}

// Threshold is the largest float64 epsilon up to which the method's sigma is proven to give (epsilon, delta), and beyond
// which it fails: G(delta) of Zhao et al. 2019 for the classical formulas, MaxEpsilon for methods that always hold. Errors
// are *ArgumentError: "mechanism", "delta".
//
// Proof note. At sigma = c/eps, mu = eps/c, x = c - eps/(2c) and y = c + eps/(2c); the derivative of delta(eps) along that
// line is phi(x)·(1/c - R(y)), positive since R(y) < 1/y < 1/c. So it crosses delta once.
func (m Method) Threshold(d Delta) (Epsilon, error) {
	if err := d.validate(); err != nil {
		return 0, err
	}
	if m == Analytic {
		return MaxEpsilon, nil
	}
	f, err := m.form()
	if err != nil {
		return 0, err
	}
	if f.classic == 0 {
		return MaxEpsilon, nil
	}
	c := classicFactor(f.classic, bigOf(float64(d)), bigPrec)
	w := wideOfBig(c)
	const usual = 8 // where the search starts
	eps, _ := boundary(usual, false, false, func(eps float64) bool {
		if eps == 0 || eps > MaxEpsilon {
			return eps == 0
		}
		switch curve(wideOf(eps), wideOf(eps).div(w)).compare(float64(d)) {
		case -1:
			return true
		case 1:
			return false
		}
		return bigMeets(eps, newBig().Quo(bigOf(eps), c), float64(d))
	})
	return Epsilon(eps), nil
}

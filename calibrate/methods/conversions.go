package methods

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Conversions from (epsilon, delta) to other notions of privacy. Each function returns the largest parameters of a
// notion that imply the guarantee, rounded down. The file of each notion has the rule by which its parameters imply a
// guarantee.

// RenyiFor returns the largest Renyi epsilon at order alpha that implies g by the rules of Renyi.DPEpsilon, rounded
// down. Errors are *ArgumentError: see Guarantee.Validate; "alpha", also if no epsilon at this order implies g.
func RenyiFor(g calibrate.Guarantee, alpha float64) (Renyi, error) {
	if err := g.Validate(); err != nil {
		return Renyi{}, err
	}
	r := Renyi{Alpha: alpha}
	if err := r.validate(); err != nil {
		return Renyi{}, err
	}
	cost, gain := renyiCost(alpha, g.Delta)
	room := numeric.NewBig().Sub(numeric.BigOf(float64(g.Epsilon)), cost)
	lost := numeric.NewBig().Add(numeric.NewBig().Abs(gain), numeric.NewBig().Abs(cost))
	room.Sub(room, lost.SetMantExp(lost, -200))
	if room.Sign() > 0 {
		r.Epsilon = numeric.RoundedDown(room)
	}
	if r.Epsilon == 0 {
		return Renyi{}, argument.New("alpha", "= %g is too small for epsilon = %g at delta = %g", alpha, float64(g.Epsilon),
			float64(g.Delta))
	}
	return r, nil
}

// BestRenyiFor returns RenyiFor at the order at which Gaussian noise may have the largest mu. This order is the one
// that TightZCDPRho uses. Errors: as for ZCDPRho and RenyiFor.
func BestRenyiFor(g calibrate.Guarantee) (Renyi, error) {
	rho, err := TightZCDPRho(g)
	if err != nil {
		return Renyi{}, err
	}
	best, err := rho.BestRenyi(g.Delta)
	if err != nil {
		return Renyi{}, err
	}
	return RenyiFor(g, best.Alpha)
}

// Mu returns the largest parameter of a Gaussian mechanism that satisfies c: the smaller of sqrt(2·mean) and spread,
// rounded down, or 0 if the mean is 0. Errors are *ArgumentError: "mean", "spread".
func (c MeanConcentrated) Mu() (calibrate.Mu, error) {
	if err := c.validate(); err != nil {
		return 0, err
	}
	if c.Mean == 0 {
		return 0, nil
	}
	mu, err := Rho(c.Mean).Mu()
	return min(mu, calibrate.Mu(c.Spread)), err
}

// MeanConcentratedFor returns the largest parameters of the form (spread²/2, spread) that imply g by
// MeanConcentrated.DPEpsilon, rounded down. Gaussian noise has parameters of this form. Errors: as for ZCDPRho.
func MeanConcentratedFor(g calibrate.Guarantee) (MeanConcentrated, error) {
	return meanConcentratedFor(g, 1)
}

// MeanConcentratedForPDP is MeanConcentratedFor for probabilistic differential privacy: it returns the largest
// parameters of the form (spread²/2, spread) that imply g by MeanConcentrated.PDPEpsilon, rounded down.
func MeanConcentratedForPDP(g calibrate.Guarantee) (MeanConcentrated, error) {
	return meanConcentratedFor(g, 2)
}

// meanConcentratedFor solves spread²/2 + spread·sqrt(2·L) = epsilon with L = ln(tails/delta), by a formula in which no
// digits cancel.
func meanConcentratedFor(g calibrate.Guarantee, tails float64) (MeanConcentrated, error) {
	if err := g.Validate(); err != nil {
		return MeanConcentrated{}, err
	}
	l, eps := numeric.LnAt(numeric.NewBig().Quo(numeric.BigOf(tails), numeric.BigOf(float64(g.Delta))),
		numeric.ShortPrec), numeric.BigOf(float64(g.Epsilon))
	sum := numeric.NewBig().Sqrt(numeric.NewBig().Add(l, eps))
	root := numeric.NewBig().Quo(eps, sum.Add(sum, l.Sqrt(l)))
	c := MeanConcentrated{Mean: numeric.RoundedDown(numeric.NewBig().Mul(root, root)),
		Spread: numeric.RoundedDown(root.Mul(root, numeric.BigSqrt2()))}
	if c.Mean == 0 || c.Spread == 0 {
		return MeanConcentrated{}, argument.New("epsilon", "= %g allows no mean above 0", float64(g.Epsilon))
	}
	return c, nil
}

// gaussianPDPMu returns the largest mu with which Gaussian noise satisfies g as probabilistic differential privacy
// (pDP-OPT).
func gaussianPDPMu(g calibrate.Guarantee) (calibrate.Mu, error) {
	if err := (closedForm{method: PDPOpt}).accepts(calibrate.Sensitivity{L2: 1}, g); err != nil {
		return 0, err
	}
	unit := pdpOpt(numeric.BigOf(float64(g.Epsilon)), numeric.BigOf(float64(g.Delta)))
	return calibrate.Mu(numeric.RoundedDown(unit.Quo(numeric.BigOf(1), unit))), nil
}
